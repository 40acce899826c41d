/**
 * Lists the commits that an operation in a worktree holds. Some are named only in a file: the
 * commit of `--autostash` during a rebase or merge has no ref and no reflog.
 *
 * @see https://git-scm.com/docs/gitrevisions
 */
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"

const FILES = [
  ...["rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"],
  ...["rebase-merge/orig-head", "rebase-apply/orig-head", "ORIG_HEAD"],
  ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"],
]

/** Each once; some may no longer exist. @param gitDir the worktree's own git directory. */
export function listHeld(gitDir: string): Oid[] {
  const lines = FILES.flatMap((name) => (readPlainText(join(gitDir, name)) ?? "").split("\n"))
  return [...new Set(lines.filter((line) => /^[0-9a-f]{40,64}$/.test(line)))] as Oid[]
}
