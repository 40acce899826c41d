/** Ends a job. Safe to repeat: the first end counts. */
import type { JobId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const END = `
  update jobs set state = 'ended', ended_at = :nowMs where id = :job and state = 'running'`

export function endJob(db: Db, job: JobId, nowMs: number): void {
  sql(db, END).run({ job, nowMs })
}
