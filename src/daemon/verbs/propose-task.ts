/** `propose_task`: proposes another task, which a person accepts or declines. */

import { ACCEPT, DECLINE } from "../../core/question.ts"
import { askQuestion } from "../../store/questions/ask.ts"
import { listOpenQuestions } from "../../store/questions/list.ts"
import { transaction } from "../../store/sql.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import { DaemonError } from "../errors.ts"
import { turnIsOver, type Verb } from "./verb.ts"

/** Open proposals per task; a person would not read more. */
const PROPOSALS_MAX = 10

export const proposeTask: Verb<"propose_task"> = async ({ fleet, id, input }) => {
  const { db, world } = fleet
  transaction(db, () => {
    const turn = findOpenTurn(db, id)
    if (!turn) throw turnIsOver()
    const open = listOpenQuestions(db, id).filter(({ kind }) => kind === "proposal")
    if (open.length >= PROPOSALS_MAX)
      throw new DaemonError("agent.busy", `${PROPOSALS_MAX} proposals are open already.`)
    const asked = {
      task: id,
      turn: turn.n,
      kind: "proposal",
      text: `take up a task: ${input.title}\n${input.prompt}`,
      choices: [ACCEPT, DECLINE],
      subject: { title: input.title, prompt: input.prompt },
    } as const
    askQuestion(db, asked, world.nowMs())
  })
  return { heard: true }
}
