/** `git ls-files --others`: untracked files. */
import type { GitPath } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { pathspec } from "../start/pathspec.ts"
import { trueNames } from "./true-modes.ts"

/**
 * All untracked files, ignored or not. An untracked folder is one path that ends in `/`. Runs in
 * the worktree's root.
 */
export async function listUntracked(cwd: string): Promise<GitPath[]> {
  const settings = await trueNames(cwd)
  const { stdout } = await git(cwd, ["ls-files", "-z", "--others", "--directory"], { settings })
  return splitZ(stdout) as GitPath[]
}

/** Keeps the command line well below every system's limit. */
const PATHS_PER_CALL = 200

/**
 * Untracked files at or below `paths`, from the root; a nested repository is one path ending in `/`.
 * Runs in the worktree's root.
 */
export async function listOthers(cwd: string, paths: readonly GitPath[]): Promise<GitPath[]> {
  const others: GitPath[] = []
  const settings = paths.length > 0 ? await trueNames(cwd) : {}
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const specs = paths.slice(at, at + PATHS_PER_CALL).map(pathspec)
    const { stdout } = await git(cwd, ["ls-files", "-z", "--others", "--", ...specs], { settings })
    others.push(...(splitZ(stdout) as GitPath[]))
  }
  return others
}

/**
 * Ignored files and folders. A folder ends in `/`, without its content. Runs in the worktree's
 * root.
 */
export async function listIgnored(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
  return splitZ((await git(cwd, args)).stdout) as GitPath[]
}

/** The folders alone. */
export async function listIgnoredFolders(cwd: string): Promise<GitPath[]> {
  return (await listIgnored(cwd)).filter((path) => path.endsWith("/"))
}
