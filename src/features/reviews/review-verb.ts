/** The verb `review`: the verdict of a reviewer, which counts once its turn has ended. */

import { turnIsOver, type Verb } from "../../api/verb.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { sayVerdict } from "./rows/record.ts"

/** @throws {DaemonError} `task.refused` (user) unless the caller's own task is a review. */
export const review: Verb<"review"> = async ({ fleet: { db }, readTask, input }) => {
  const { id, reviewOf } = readTask()
  if (reviewOf === null)
    throw new DaemonError("task.refused", "Your task is not a review, so it has no verdict.", [
      "Other agents review your work after your turn.",
    ])
  const { verdict, comments } = input
  if (verdict === "changes" && comments.trim() === "")
    throw new DaemonError("task.refused", "Say what must change, and where.")
  const isHeard = transaction(
    db,
    () => findOpenTurn(db, id) !== undefined && sayVerdict(db, { byTask: id, verdict, comments }),
  )
  if (!isHeard) throw turnIsOver()
  return { heard: true }
}
