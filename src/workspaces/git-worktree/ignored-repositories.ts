/**
 * Finds repositories in folders that git ignores: status does not list them, and a rescue does not
 * save them.
 *
 * The search has a limit, since build folders may hold millions of files, and starts near the root.
 */
import { readdir } from "node:fs/promises"
import type { GitPath } from "../../core/ids.ts"
import { listIgnoredFolders } from "../../git/ask/ls-others.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { joinBytes } from "../../git/start/path.ts"
import { isPlaced } from "../placed.ts"

/** Folders to search: about a second, in a worktree that holds far more than work. */
const FOLDERS_MAX = 50_000
/** Filled by tools, with more folders than all the rest. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"])

/** @returns the repositories' absolute paths, those nearest to the root first. */
export async function listIgnoredRepositories(
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
