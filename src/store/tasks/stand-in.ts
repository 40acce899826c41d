/** Records which fallback has taken over a task. */

import type { TaskId } from "../../core/ids.ts"
import type { StandIn } from "../../core/tasks/fallback.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const SET = "update tasks set stand_in = :standIn where id = :id"

/** @param standIn null: the agent itself works again. */
export function setStandIn(db: Db, id: TaskId, standIn: StandIn | null): void {
  sql(db, SET).run({ id, standIn: standIn && JSON.stringify(standIn) })
}
