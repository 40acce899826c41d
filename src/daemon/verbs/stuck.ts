/** `stuck`: the agent cannot go on. Its task stops, and its process is ended by us. */
import { type HeardDocument, Stuck } from "../../core/agent-wire.ts"
import { next } from "../../core/machine.ts"
import { TASK } from "../../core/task.ts"
import { NO_USAGE } from "../../core/usage.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../../store/tasks/find.ts"
import { recordTask } from "../../store/tasks/record.ts"
import { endTurn } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find-open.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const stuck = verb({
  name: "stuck",
  about: "Say that you cannot go on. You are ended, your files stay, and a person decides.",
  input: Stuck,
  run: async ({ fleet, task: { id }, input }): Promise<HeardDocument> => {
    const { db, world } = fleet
    const isHeard = transaction(db, () => {
      const task = findTask(db, id)
      const turn = findOpenTurn(db, id)
      if (!task || !turn || !next(TASK, task.state, "gotStuck")) return false
      const nowMs = world.nowMs()
      endTurn(db, turn, { usage: NO_USAGE, message: input.reason }, nowMs)
      const reason = { code: "needs_decision", text: input.reason } as const
      return recordTask(db, task, { event: "gotStuck", reason }, nowMs)
    })
    if (!isHeard) throw turnIsOver()
    return { heard: true }
  },
})
