/** `git rev-list`: whether other commits, rescues or landed refs contain the given commits. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { SAVED } from "./rev-list-lost.ts"

/** Whether each of `commits` is in the history of one of `safe`, or was saved. */
export async function areAllKept(
  cwd: string,
  commits: readonly Oid[],
  safe: readonly Oid[],
): Promise<boolean> {
  if (commits.length === 0) return true
  const stdin = [...commits, ...safe.map((oid) => `^${oid}`), ""].join("\n")
  const args = ["rev-list", "--max-count=1", "--stdin", "--not", ...SAVED]
  return (await git(cwd, args, { stdin })).stdout === ""
}
