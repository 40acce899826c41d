/** Opens the next turn of an agent that stopped to wait for a person, once the answers are there. */

import type { TaskId } from "../../core/ids.ts"
import { answersPrompt } from "../../core/prompts/answers.ts"
import type { Db } from "../open.ts"
import { listUntoldAnswers, recordTold } from "../questions/list.ts"
import { latestSession } from "../sessions/latest.ts"
import { transaction } from "../sql.ts"
import { findOpenTurn } from "./find-open.ts"
import { openNextTurn } from "./open-next.ts"

/** The turn is of the same session. @returns whether there is one now that tells the answers. */
export function openAnsweredTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    const answers = listUntoldAnswers(db, task)
    const session = latestSession(db, task)
    if (answers.length === 0 || !session || findOpenTurn(db, task)) return false
    recordTold(db, answers, nowMs)
    openNextTurn(db, { task, prompt: answersPrompt(answers) }, nowMs)
    return true
  })
}
