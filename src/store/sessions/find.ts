/** Finds a session by its id. */
import type { SessionId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { SESSION_COLUMNS, type Session } from "./row.ts"

const FIND = `select ${SESSION_COLUMNS} from sessions where id = :id`

export function findSession(db: Db, id: SessionId): Session | undefined {
  return sql(db, FIND).find({ id }) as Session | undefined
}
