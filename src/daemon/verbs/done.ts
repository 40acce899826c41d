/** `done`: runs the checks and, if they pass, records that the agent calls its work done. */
import { Done, type DoneDocument } from "../../core/wire/agent.ts"
import { transaction } from "../../store/sql.ts"
import { declareDone } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const done = verb({
  name: "done",
  about:
    "Say that the task is done. Runs the very command that must pass before your work lands and " +
    "returns its verdict: if it fails, go on; if it passes, end your turn.",
  input: Done,
  run: async ({ fleet, readTask, input, untilGone }): Promise<DoneDocument> => {
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
  },
})
