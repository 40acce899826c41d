/** `git reflog delete`: takes one entry out of the log of a ref. The ref stays where it is. */
import type { RefName } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"

/** @param at the number of the entry, from the newest, which is 0 and must stay. */
export async function deleteLogged(cwd: string, ref: RefName, at: number): Promise<void> {
  await git(cwd, ["reflog", "delete", "--rewrite", `${ref}@{${at}}`])
}
