/** Finds the turn of a task that has not ended: work to do, also after a crash. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeTurn, TURN_COLUMNS, type Turn } from "./row.ts"

const FIND = `select ${TURN_COLUMNS} from turns where task = :task and ended_at is null`

export function findOpenTurn(db: Db, task: TaskId): Turn | undefined {
  const row = sql(db, FIND).find({ task })
  return row && decodeTurn(row)
}
