/** Keeps a message to a task's agent until it is part of a turn's prompt. */
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

type NewMessage = { readonly task: TaskId; readonly text: string }

const ADD = "insert into messages (task, text, at) values (:task, :text, :nowMs) returning id"

/** Event `message.sent`. */
export function addMessage(db: Db, { task, text }: NewMessage, nowMs: number): void {
  transaction(db, () => {
    const { id } = sql(db, ADD).read({ task, text, nowMs })
    appendEvent(db, { type: "message.sent", task, data: { message: id, text } }, nowMs)
  })
}
