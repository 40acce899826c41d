/** `git check-ref-format`: whether a name can be that of a branch. */
import { branchRef } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** A name that begins with a dash or `refs/`, or is `HEAD` or `@`, git takes for something else. */
export async function isBranchName(cwd: string, name: string): Promise<boolean> {
  if (/^-|^refs\/|^HEAD$|^@$/.test(name) || name.includes("\0")) return false
  const args = ["check-ref-format", branchRef(name)]
  return (await git(cwd, args, { answers: [0, 1] })).exitCode === 0
}
