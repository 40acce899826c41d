/** Adds and removes conversations, and records who holds them. */
import type { JobId, SessionId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"

const JOIN = "insert into job_sessions (job, session) values (:job, :id) on conflict do nothing"

/** Safe to repeat. */
export function joinSession(db: Db, { id, job }: NewSession): void {
  sql(db, JOIN).run({ id, job })
}

/** A conversation, and the job that it begins in, which names its task. */
export type NewSession = { readonly id: SessionId; readonly job: JobId }
type SessionToAdd = NewSession & { readonly forkOf?: SessionId | undefined }

const ADD = `
  insert into sessions (id, agent, work_item, fork_of, started_at)
  select :id, coalesce(stand_in ->> '$.agent', case
    when planner is not null and tasks.state in ('planning', 'planning_complete') then planner
    else tasks.agent end), tasks.work_item, :forkOf, :nowMs
  from jobs join tasks on tasks.id = jobs.task where jobs.id = :job`

/** Adds a session, before the agent program learns its id. */
export function addSession(db: Db, { id, job, forkOf }: SessionToAdd, nowMs: number): void {
  transaction(db, () => {
    sql(db, ADD).run({ id, job, forkOf: forkOf ?? null, nowMs })
    joinSession(db, { id, job })
  })
}

const RECORD = "update sessions set held_by = :heldBy where id = :id and held_by is not :heldBy"

/** Records which program holds a conversation, and where it stores it. */
export function recordHolder(db: Db, id: SessionId, heldBy: string): void {
  sql(db, RECORD).run({ id, heldBy })
}

export function recordProgramId(db: Db, id: SessionId, programId: string): void {
  sql(db, "update sessions set program_id = :programId where id = :id").run({ id, programId })
}

const REMOVE = `
  delete from sessions where not exists (select 1 from job_sessions where session = sessions.id)`

/** Run after deleting jobs: a conversation that another task of the work item continues stays. */
export function removeUnownedSessions(db: Db): void {
  sql(db, REMOVE).run()
}
