/** Tells whether a process of an agent still has a conversation. */
import type { SessionId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/** For the open turn of `tasks.id`. */
export const SESSION_IS_FREE = `
  not exists (select 1 from turns join processes on processes.session = turns.session
    where turns.task = tasks.id and turns.ended_at is null)`

/** It is not while, for example, the agent of a cancelled earlier task of the work item is ending. */
export function isSessionFree(db: Db, id: SessionId): boolean {
  return sql(db, "select 1 from processes where session = :id").find({ id }) === undefined
}
