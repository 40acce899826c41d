/** Adds a session, before the agent program is told of it. */
import type { JobId, SessionId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/** A conversation, and the job that it belongs to. */
export type Session = { readonly id: SessionId; readonly job: JobId }

const ADD = "insert into sessions (id, job, started_at) values (:id, :job, :nowMs)"

export function addSession(db: Db, { id, job }: Session, nowMs: number): void {
  sql(db, ADD).run({ id, job, nowMs })
}
