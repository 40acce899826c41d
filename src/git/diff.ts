/** A diff for people and models to read, the same whatever the user's settings for diffs are. */
import type { GitPath, Oid } from "../core/ids.ts"
import { git, stdoutText } from "./exec.ts"
import { pathspec } from "./path.ts"

export type DiffOptions = {
  /** Default: all. */
  readonly paths?: readonly GitPath[]
  readonly bytesMax: number
}

/** Spelled out: each of these can be set to something else, for the user's own diffs. */
const FORMAT = [
  "-r",
  "--patch",
  "--find-renames",
  "--unified=3",
  "--inter-hunk-context=0",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  "--ignore-submodules=none",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
]

/** The unified diff between two commits; what is longer than `bytesMax` is cut, and says so. */
export async function readDiff(
  cwd: string,
  from: Oid,
  to: Oid,
  { paths = [], bytesMax }: DiffOptions,
): Promise<string> {
  const args = ["diff-tree", ...FORMAT, from, to, "--", ...paths.map(pathspec)]
  const result = await git(cwd, args, { cutAtBytes: bytesMax })
  const text = stdoutText(result)
  return result.cut ? `${text}\n[cut after ${bytesMax} bytes]\n` : text
}
