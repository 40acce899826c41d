/**
 * The commits that an operation in a worktree holds, some of them by no more than a file: what
 * `--autostash` put aside until a rebase or a merge is over is in no log and under no ref.
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

/** Each once; some may be gone meanwhile. @param gitDir the worktree's own git directory. */
export function listHeld(gitDir: string): Oid[] {
  const lines = FILES.flatMap((name) => (readPlainText(join(gitDir, name)) ?? "").split("\n"))
  return [...new Set(lines.filter((line) => /^[0-9a-f]{40,64}$/.test(line)))] as Oid[]
}
