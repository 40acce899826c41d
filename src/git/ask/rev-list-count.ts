/** `git rev-list --count`: how much history one commit has that another has not. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

export async function countCommits(
  cwd: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<number> {
  return Number((await git(cwd, ["rev-list", "--count", to, `^${from}`])).stdout)
}
