/** An approval as stored: it holds for these commits, never for a branch. */
import type { Oid, TaskId } from "../../core/ids.ts"

export type Approval = {
  readonly task: TaskId
  /** Of the repository. */
  readonly name: string
  readonly head: Oid
  /** The commit after which all on `head` is the task's own: what was shown is base..head. */
  readonly base: Oid
}
