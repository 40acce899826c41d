/**
 * Words of people for a turn that runs. They are part of that turn once they are recorded here, so a
 * repeated turn has them again; until then they wait for the next prompt, as other messages do.
 */
import type { TaskId } from "../core/ids.ts"
import { appendEvent } from "./events.ts"
import type { Db } from "./open.ts"
import { sql, transaction } from "./sql.ts"
import type { Turn } from "./turns/find.ts"

export type WaitingWords = { readonly id: number; readonly text: string }

const WAITING = `
  select id, text from messages where task = :task and turn is null and is_now = 1 order by id`

/** Oldest first. */
export const listWaitingWords = (db: Db, task: TaskId): WaitingWords[] =>
  sql(db, WAITING).list({ task }) as WaitingWords[]

const DELIVER = "update messages set turn = :n where id = :id and turn is null and is_now = 1"

/** Records that the agent got them in this turn. Event `message.delivered` for each. */
export function recordDeliveredNow(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  words: readonly WaitingWords[],
  nowMs: number,
): void {
  transaction(db, () => {
    for (const { id } of words) {
      if (sql(db, DELIVER).run({ id, n }) === 0) continue
      appendEvent(db, { type: "message.delivered", task, data: { message: id, n } }, nowMs)
    }
  })
}

const OF_TURN =
  "select text from messages where task = :task and turn = :n and is_now = 1 order by id"

/** The texts that joined the turn while it ran, oldest first. */
export const listWordsOfTurn = (db: Db, { task, n }: Pick<Turn, "task" | "n">): string[] =>
  (sql(db, OF_TURN).list({ task, n }) as { readonly text: string }[]).map(({ text }) => text)
