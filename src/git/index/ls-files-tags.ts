/** `git ls-files -t`: every path of the index, and whether its file is wanted on disk. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { splitZ } from "../path.ts"

export type IndexedPaths = ReadonlyMap<GitPath, "wanted" | "skipped">

/** Also of entries in conflict. A sparse checkout leaves out `skipped` ones. Runs in the root. */
export async function listIndexed(cwd: string): Promise<IndexedPaths> {
  const { stdout } = await git(cwd, ["ls-files", "-t", "-z"])
  return new Map(
    splitZ(stdout).map((line) => [
      line.slice(2) as GitPath,
      line.startsWith("S ") ? "skipped" : "wanted",
    ]),
  )
}
