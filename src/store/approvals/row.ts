/** An approval as stored: it holds for these commits, never for a branch. */
import type { Oid, TaskId } from "../../core/ids.ts"

export type Approval = {
  readonly task: TaskId
  /** Name of the repository. */
  readonly name: string
  readonly head: Oid
  /** The commit before the task's own commits: the person saw base..head. */
  readonly base: Oid
}
