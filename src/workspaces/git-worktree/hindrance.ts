/** Finds out why a worktree may not be removed, whatever is saved before. */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { hasUnpushed } from "../../git/history/unpushed.ts"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { commonDirOf } from "../../git/worktrees/git-dir.ts"
import { listLinked } from "../../git/worktrees/linked-worktrees.ts"
import { isWorktreeOf } from "../../git/worktrees/worktree-of.ts"
import { listIgnoredRepositories } from "./ignored-repositories.ts"

/**
 * @param placed paths that copy and link put there.
 * @returns one sentence for a person, or undefined when nothing speaks against it; `absent` when
 *   the folder is gone already.
 */
export async function findHindrance(
  repo: string,
  path: string,
  placed: readonly string[] = [],
): Promise<string | "absent" | undefined> {
  const worktrees = listLinked(commonDirOf(await gitDir(repo)))
  const entry = worktrees.find((worktree) => worktree.path === path)
  if (entry?.locked !== undefined && entry.locked !== "initializing")
    return `${path} is locked (\`git worktree unlock\` undoes it).`
  if (!existsSync(path)) return "absent"
  if (!entry || !(await isWorktreeOf(path, repo))) return `${path} is not a worktree of ${repo}.`
  const others = [repo, ...worktrees.map((other) => other.path)]
  const inner = others.find(
    (other) => other.startsWith(`${path}/`) && existsSync(join(other, ".git")),
  )
  if (inner) return `${path} holds another worktree (${inner}).`
  for (const module of await listModules(join(entry.gitDir, "modules")))
    if (await hasUnpushed(module))
      return `${path} holds a submodule with commits that its remote does not have (${module}).`
  for (const nested of await listIgnoredRepositories(path, placed))
    if (await hasUnpushed(nested))
      return `${path} holds a repository with commits that its remote does not have (${nested}).`
  return undefined
}

/** Git directories of the worktree's own submodules: they go with it. Names may hold slashes. */
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
