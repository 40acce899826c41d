/** Removes the conversations that no job has any more. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const REMOVE = `
  delete from sessions where not exists (select 1 from job_sessions where session = sessions.id)`

/** After jobs went: one that another task of the work item goes on with stays. */
export function removeUnownedSessions(db: Db): void {
  sql(db, REMOVE).run()
}
