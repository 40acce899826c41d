/** Finds out why a worktree must not be removed, even if its work is saved before. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { listLinked } from "../../git/ask/linked-worktrees.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { hasUnpushed } from "../../git/ask/rev-list.ts"
import { isRootOf } from "../../git/ask/worktree-of.ts"
import type { Db } from "../../store/open.ts"
import { findForeign } from "../removal.ts"
import { listIgnoredRepositories } from "./ignored-repositories.ts"

/**
 * @param placed paths that copy and link put there.
 * @returns one sentence for a person, or undefined if nothing prevents it; `absent` if the folder
 *   is gone or never held anything.
 */
export async function findRemovalBlocker(
  db: Db,
  repository: Pick<Repository, "root" | "commonDir">,
  path: string,
  placed: readonly string[] = [],
): Promise<string | "absent" | undefined> {
  const entry = listLinked(repository.commonDir).find((worktree) => worktree.path === path)
  if (entry?.locked !== undefined && entry.locked !== "initializing")
    return `${path} is locked (\`git worktree unlock\` undoes it).`
  if (!existsSync(path) || (!entry && isEmpty(path))) return "absent"
  const foreign = findForeign(db, repository, path)
  if (foreign !== undefined) return foreign
  if (!entry || !isRootOf(path, entry.gitDir))
    return `${path} is not a worktree of ${repository.root} any more.`
  for (const module of await listModules(join(entry.gitDir, "modules")))
    if (await hasUnpushed(module))
      return `${path} holds a submodule with commits that its remote does not have (${module}).`
  for (const nested of await listIgnoredRepositories(path, placed))
    if (await hasUnpushed(nested))
      return `${path} holds a repository with commits that its remote does not have (${nested}).`
  return undefined
}

/** The state after a set-up that was cut off before git had added anything. */
const isEmpty = (path: string): boolean =>
  statSync(path).isDirectory() && readdirSync(path).length === 0

/**
 * Git directories of the worktree's own submodules, which are removed with it. Names may hold
 * slashes.
 */
async function listModules(folder: string): Promise<string[]> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : []
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
  const modules = folders.map(async (path) => {
    if (!existsSync(join(path, "HEAD"))) return await listModules(path)
    return [path, ...(await listModules(join(path, "modules")))]
  })
  return (await Promise.all(modules)).flat()
}
