/** `done`: runs the checks and, if they pass, records that the agent calls its work done. */
import { transaction } from "../../store/sql.ts"
import { declareDone } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import { turnIsOver, type Verb } from "./verb.ts"

export const done: Verb<"done"> = async ({ fleet, readTask, input, untilGone }) => {
  const { db, world } = fleet
  const task = readTask()
  const check = await fleet.checkWork(task, task.repos, untilGone())
  if (!check) throw turnIsOver()
  if (!check.passed) return { ...check, declared: false }
  const declared = transaction(db, () => {
    const turn = findOpenTurn(db, task.id)
    return turn ? declareDone(db, turn, input.summary, world.nowMs()) : false
  })
  if (!declared) throw turnIsOver()
  return { ...check, declared }
}
