/** `git rev-list`: the refs that are the user's, and stay without Coppice. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"

/** Whether a branch, tag or remote branch contains the commit. */
export async function isOnUsersRef(cwd: string, commit: Oid): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", commit, "--not", "--branches", "--remotes", "--tags"]
  return (await git(cwd, args)).stdout === ""
}
