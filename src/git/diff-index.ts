/** `git diff-index`: the index against a commit. */
import type { Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

/** Whether the index is exactly the tree of `commit`; also answers while the index is locked. */
export async function isIndexAt(cwd: string, commit: Oid): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "--ignore-submodules=none", commit]
  return (await git(cwd, args, { answers: [0, 1] })).exitCode === 0
}
