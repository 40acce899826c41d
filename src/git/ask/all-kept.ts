/** `git rev-list`: whether other commits or rescue refs contain the given commits. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** Whether each of `commits` is in the history of one of `safe`, or of a rescue ref. */
export async function areAllKept(
  cwd: string,
  commits: readonly Oid[],
  safe: readonly Oid[],
): Promise<boolean> {
  if (commits.length === 0) return true
  const stdin = [...commits, ...safe.map((oid) => `^${oid}`), ""].join("\n")
  const args = ["rev-list", "--max-count=1", "--stdin", "--not", "--glob=refs/coppice/rescue/"]
  return (await git(cwd, args, { stdin })).stdout === ""
}
