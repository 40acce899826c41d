/** Takes all that people have said and answered and no turn has told yet, for the turn that opens now. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { listUntoldAnswers, recordTold } from "../questions/list.ts"
import { takeMessages } from "./take.ts"

export type UntoldWords = {
  readonly answers: readonly Question[]
  readonly texts: readonly string[]
}

/** In the transaction in which the turn is opened. Oldest first. */
export function takeWords(db: Db, task: TaskId, nowMs: number): UntoldWords {
  const answers = listUntoldAnswers(db, task)
  recordTold(db, answers, nowMs)
  return { answers, texts: takeMessages(db, task) }
}
