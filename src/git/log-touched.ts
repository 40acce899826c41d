/** `git log --name-only`: every path that some commit touches. */
import type { GitPath, Oid } from "../core/ids.ts"
import { git } from "./exec.ts"
import { splitZ } from "./path.ts"

const ARGS = ["log", "-z", "--format=", "--name-only", "--no-renames", "--no-show-signature"]
const DIFF = ["--diff-merges=first-parent", "--ignore-submodules=none", "--no-ext-diff"]

/** Paths that any commit of `to` and not of `from` changes, also where a later one takes it back. */
export async function listTouched(
  cwd: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<ReadonlySet<GitPath>> {
  const { stdout } = await git(cwd, [...ARGS, ...DIFF, to, `^${from}`])
  return new Set(splitZ(stdout) as GitPath[])
}
