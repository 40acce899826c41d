/**
 * The commits that an operation in a worktree holds, some of them by no more than a file: what
 * `--autostash` put aside until a rebase or a merge is over is in no log and under no ref.
 *
 * @see https://git-scm.com/docs/gitrevisions
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"

const FILES = [
  ...["rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"],
  ...["rebase-merge/orig-head", "rebase-apply/orig-head", "ORIG_HEAD"],
  ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"],
]

/** Each once; some may be gone meanwhile. @param gitDir the worktree's own git directory. */
export function listHeld(gitDir: string): Oid[] {
  const files = FILES.map((name) => join(gitDir, name)).filter((file) => existsSync(file))
  const lines = files.flatMap((file) => readFileSync(file, "latin1").split("\n"))
  return [...new Set(lines.filter((line) => /^[0-9a-f]{40,64}$/.test(line)))] as Oid[]
}
