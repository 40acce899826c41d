/** Records that a landing is decided: from now on, one of its targets may move. */
import { assert } from "../../core/assert.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Landing } from "./row.ts"

const RECORD = "update landings set decided = 1 where id = :id and state = 'publishing'"

/** Outside the state machine: the landing's state does not move. Event `landing.decided`. */
export function recordDecided(
  db: Db,
  { id, task }: Pick<Landing, "id" | "task">,
  nowMs: number,
): void {
  transaction(db, () => {
    assert(sql(db, RECORD).run({ id }) === 1, "a landing is decided while it publishes")
    appendEvent(db, { type: "landing.decided", task, data: { landing: id } }, nowMs)
  })
}
