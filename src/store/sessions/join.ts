/** Records that a job continues a conversation. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { NewSession } from "./add.ts"

const JOIN = "insert into job_sessions (job, session) values (:job, :id) on conflict do nothing"

/** Safe to repeat. */
export function joinSession(db: Db, { id, job }: NewSession): void {
  sql(db, JOIN).run({ id, job })
}
