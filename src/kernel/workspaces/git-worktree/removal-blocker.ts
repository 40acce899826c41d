/** Finds out why a worktree must not be removed, even if its work is saved before. */
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { listLinked } from "../../git/ask/linked-worktrees.ts"
import { listIgnoredFolders } from "../../git/ask/ls-others.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { hasUnpushed } from "../../git/ask/rev-list.ts"
import { isRootOf } from "../../git/ask/worktree-of.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { joinBytes } from "../../git/start/git-path.ts"
import type { Db } from "../../store/open.ts"
import { isPlaced } from "../placed-files.ts"
import { findForeign } from "../removal.ts"

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
    return `${path} is no longer a worktree of ${repository.root}.`
  const index = join(entry.gitDir, "index")
  if (lstatSync(index, { throwIfNoEntry: false })?.isFIFO())
    return `${path} has a named pipe in place of its index (${index}), and git would wait for it.`
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

/** Folders to search: about a second, in a worktree that holds far more than work. */
const FOLDERS_MAX = 50_000
/** Filled by tools, with more folders than all the rest. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"])

/**
 * Status does not list repositories in ignored folders, and a rescue does not save them. The search
 * has a limit, since build folders may hold millions of files.
 *
 * @returns absolute paths, those nearest to the root first.
 */
async function listIgnoredRepositories(
  worktree: string,
  placed: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  let level = (await listIgnoredFolders(worktree))
    .map((path) => path.slice(0, -1) as GitPath)
    .filter((path) => !isPlaced(path, placed) && !SKIPPED.has(path.split("/").at(-1) ?? ""))
  let left = FOLDERS_MAX
  while (level.length > 0 && left > 0) {
    const next: GitPath[] = []
    for (const path of level.slice(0, left)) {
      const root = joinBytes(worktree, path)
      const entries = await readdir(root, { withFileTypes: true, encoding: "latin1" }).catch(
        () => [], // gone or unreadable, so no work of ours is there
      )
      const text = root.toString("utf8")
      const names = new Set(entries.map(({ name }) => name))
      if (isBare(names) || (names.has(".git") && findGitDir(text))) found.push(text)
      if (isBare(names)) continue
      const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
      next.push(...folders.map(({ name }) => `${path}/${name}` as GitPath))
    }
    left -= Math.min(left, level.length)
    level = next
  }
  return found
}

/** Recognises the result of `git init --bare` by the names in it. */
const isBare = (names: ReadonlySet<string>): boolean =>
  ["HEAD", "objects", "refs"].every((name) => names.has(name))
