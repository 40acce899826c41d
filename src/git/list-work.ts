/** `git ls-files`: the files that somebody would miss, tracked or not. */
import type { GitPath } from "../core/ids.ts"
import { git } from "./exec.ts"
import { pathspec, splitZ } from "./path.ts"

/**
 * Tracked and untracked files below `cwd`, relative to it. Nested repositories, whose files are
 * not listed, are paths that end in `/`.
 */
export async function listWork(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const { stdout } = await git(cwd, args)
  return splitZ(stdout) as GitPath[]
}

/** Every untracked file at or below these paths, ignored ones too. Runs in the worktree's root. */
export async function listUntracked(cwd: string, paths: readonly GitPath[]): Promise<GitPath[]> {
  if (paths.length === 0) return []
  const args = ["ls-files", "-z", "--others", "--", ...paths.map(pathspec)]
  return splitZ((await git(cwd, args)).stdout) as GitPath[]
}
