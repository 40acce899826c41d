/** `git ls-files -t`: every path of the index, and whether its file belongs on disk. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

export type IndexedPaths = ReadonlyMap<GitPath, "wanted" | "skipped">

/**
 * Conflicted paths are included. A sparse checkout does not write `skipped` files. Runs in the
 * worktree's root.
 */
export async function listIndexed(cwd: string): Promise<IndexedPaths> {
  const { stdout } = await git(cwd, ["ls-files", "-t", "-z"])
  return new Map(
    splitZ(stdout).map((line) => [
      line.slice(2) as GitPath,
      line.startsWith("S ") ? "skipped" : "wanted",
    ]),
  )
}
