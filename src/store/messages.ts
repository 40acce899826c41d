/** Messages to a task's agent, until a turn delivers them. */
import type { TaskId } from "../core/ids.ts"
import type { Question } from "../core/question.ts"
import { appendEvent } from "./events.ts"
import type { Db } from "./open.ts"
import { recordDelivered } from "./questions/ask.ts"
import { listUndeliveredAnswers } from "./questions/list.ts"
import { sql, transaction } from "./sql.ts"

type NewMessage = { readonly task: TaskId; readonly text: string }

const ADD = "insert into messages (task, text, at) values (:task, :text, :nowMs) returning id"

/** Event `message.sent`. */
export function addMessage(db: Db, { task, text }: NewMessage, nowMs: number): void {
  transaction(db, () => {
    const { id } = sql(db, ADD).read({ task, text, nowMs })
    appendEvent(db, { type: "message.sent", task, data: { message: id, text } }, nowMs)
  })
}

/** Assigns them to the turn that opens next, in the same transaction. */
const TAKE = `
  update messages
  set turn = (select coalesce(max(n), 0) + 1 from turns where turns.task = :task)
  where task = :task and turn is null
  returning id, text`

/** @returns the texts, oldest first; possibly none. */
function takeMessages(db: Db, task: TaskId): string[] {
  const taken = sql(db, TAKE).list({ task }) as { readonly id: number; readonly text: string }[]
  return taken.toSorted((a, b) => a.id - b.id).map(({ text }) => text)
}

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
