/** Removes the conversations without a job. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const REMOVE = `
  delete from sessions where not exists (select 1 from job_sessions where session = sessions.id)`

/** Run after deleting jobs: a conversation that another task of the work item continues stays. */
export function removeUnownedSessions(db: Db): void {
  sql(db, REMOVE).run()
}
