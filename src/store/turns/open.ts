/** Opens a task's next turn: a prompt for its agent. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { decodeTurn, TURN_COLUMNS, type Turn } from "./row.ts"

export type TurnToOpen = Pick<Turn, "task" | "session" | "prompt">

const OPEN = `
  insert into turns (task, n, session, prompt, job)
  select :task, coalesce(max(n), 0) + 1, :session, :prompt,
    (select id from jobs where task = :task and state = 'running')
  from turns where task = :task
  returning ${TURN_COLUMNS}`

/**
 * Opens a turn; event `turn.opened`.
 *
 * @throws if the task has an open turn: the database refuses a second one.
 */
export function openTurn(db: Db, { task, session, prompt }: TurnToOpen, nowMs: number): Turn {
  return transaction(db, () => {
    const turn = decodeTurn(sql(db, OPEN).read({ task, session, prompt }))
    appendEvent(db, { type: "turn.opened", task, data: { n: turn.n, session } }, nowMs)
    return turn
  })
}
