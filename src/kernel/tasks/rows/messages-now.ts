/**
 * Messages of people for a turn that runs. Once recorded here they are part of that turn, so a repeated
 * turn has them again. Until then they wait for the next prompt, as other messages do.
 */
import type { TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { Turn } from "./turns/find.ts"

export type WaitingMessage = { readonly id: number; readonly text: string }

const WAITING = `
  select id, text from messages where task = :task and turn is null and is_now = 1 order by id`

/** Oldest first. */
export const listWaitingMessages = (db: Db, task: TaskId): WaitingMessage[] =>
  sql(db, WAITING).list({ task }) as WaitingMessage[]

const DELIVER = "update messages set turn = :n where id = :id and turn is null and is_now = 1"

/** Records that the agent got them in this turn. Event `message.delivered` for each. */
export function recordDeliveredNow(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  messages: readonly WaitingMessage[],
  nowMs: number,
): void {
  transaction(db, () => {
    for (const { id } of messages) {
      if (sql(db, DELIVER).run({ id, n }) === 0) continue
      appendEvent(db, { type: "message.delivered", task, data: { message: id, n } }, nowMs)
    }
  })
}

const OF_TURN =
  "select text from messages where task = :task and turn = :n and is_now = 1 order by id"

/** The texts that joined the turn while it ran, oldest first. */
export const listMessagesOfTurn = (db: Db, { task, n }: Pick<Turn, "task" | "n">): string[] =>
  (sql(db, OF_TURN).list({ task, n }) as { readonly text: string }[]).map(({ text }) => text)
