/** `git ls-files`: what is in the index, and what is ignored. */
import type { GitPath } from "../core/ids.ts"
import { git } from "./exec.ts"
import { splitZ } from "./path.ts"

const LIST_BYTES_MAX = 16 * 1024 * 1024
const IGNORED = ["--others", "--ignored", "--exclude-standard", "--directory"]

/**
 * What is ignored and not tracked below `cwd`, relative to it. A folder of nothing else is one
 * entry that ends in `/`.
 */
export async function listIgnored(cwd: string, entriesMax: number): Promise<GitPath[]> {
  const { stdout } = await git(cwd, ["ls-files", "-z", ...IGNORED], { cutAtBytes: LIST_BYTES_MAX })
  return splitZ(stdout).slice(0, entriesMax) as GitPath[]
}

/** Which of these paths are in the index. Runs in the worktree's root. */
export async function listIndex(
  cwd: string,
  paths: readonly GitPath[],
): Promise<ReadonlySet<GitPath>> {
  const wanted = new Set<string>(paths)
  const { stdout } = await git(cwd, ["ls-files", "-z"])
  return new Set(splitZ(stdout).filter((path) => wanted.has(path)) as GitPath[])
}
