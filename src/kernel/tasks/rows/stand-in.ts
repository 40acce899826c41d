/** Records which fallback has taken over a task. */

import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import type { StandIn } from "../rules/fallback.ts"

const SET = "update tasks set stand_in = :standIn where id = :id"

/** @param standIn null: the agent itself works again. */
export function setStandIn(db: Db, id: TaskId, standIn: StandIn | null): void {
  sql(db, SET).run({ id, standIn: standIn && JSON.stringify(standIn) })
}
