/**
 * Finds repositories in folders that git ignores: no status tells of them, no rescue saves them.
 *
 * A search with bounds: build folders may hold millions of files, and nobody writes commits in the
 * depths of one.
 */
import { readdir } from "node:fs/promises"
import type { GitPath } from "../../core/ids.ts"
import { findGitDir } from "../../git/git-dir.ts"
import { listIgnoredFolders } from "../../git/ls-ignored.ts"
import { joinBytes } from "../../git/path.ts"
import { isPlaced } from "../placed.ts"

/** Folders below an ignored folder that are looked into, and how deep. */
const FOLDERS_MAX = 5_000
const DEPTH_MAX = 6
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
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const next: GitPath[] = []
    for (const path of level.slice(0, left)) {
      const root = joinBytes(worktree, path)
      const entries = await readdir(root, { withFileTypes: true, encoding: "latin1" }).catch(
        () => [], // gone, or not ours to read: then nobody's work of ours is there
      )
      const text = root.toString("utf8")
      if (entries.some(({ name }) => name === ".git") && findGitDir(text)) found.push(text)
      const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
      next.push(...folders.map(({ name }) => `${path}/${name}` as GitPath))
    }
    left -= Math.min(left, level.length)
    level = next
  }
  return found
}
