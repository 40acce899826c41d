/** Lists a task's turns, oldest first. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeTurn, TURN_COLUMNS, type Turn } from "./row.ts"

const LIST = `select ${TURN_COLUMNS} from turns where task = :task order by n`

export function listTurns(db: Db, task: TaskId): Turn[] {
  return sql(db, LIST).list({ task }).map(decodeTurn)
}
