/** Takes all messages and answers that no turn has delivered, for the turn that opens now. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { listUndeliveredAnswers, recordDelivered } from "../questions/list.ts"
import { takeMessages } from "./take.ts"

export type UndeliveredWords = {
  readonly answers: readonly Question[]
  readonly texts: readonly string[]
}

/** Call it in the transaction that opens the turn. Oldest first. */
export function takeWords(db: Db, task: TaskId, nowMs: number): UndeliveredWords {
  const answers = listUndeliveredAnswers(db, task)
  recordDelivered(db, answers, nowMs)
  return { answers, texts: takeMessages(db, task) }
}
