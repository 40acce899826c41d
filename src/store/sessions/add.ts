/** Adds a session, before the agent program learns its id. */
import type { JobId, SessionId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { joinSession } from "./join.ts"

/** A conversation, and the job that it begins in, which names its task. */
export type NewSession = { readonly id: SessionId; readonly job: JobId }

const ADD = `
  insert into sessions (id, agent, work_item, started_at)
  select :id, tasks.agent, tasks.work_item, :nowMs
  from jobs join tasks on tasks.id = jobs.task where jobs.id = :job`

export function addSession(db: Db, { id, job }: NewSession, nowMs: number): void {
  transaction(db, () => {
    sql(db, ADD).run({ id, job, nowMs })
    joinSession(db, { id, job })
  })
}
