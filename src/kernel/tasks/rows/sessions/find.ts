/** Sessions as stored: conversations with an agent. */
import type { SessionId, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql } from "../../../store/sql.ts"

/** A session as stored: one conversation with an agent. */
export type Session = {
  readonly id: SessionId
  /** The program, and where it keeps conversations (Runtime.holder); null: not used yet. */
  readonly heldBy: string | null
  /** The program's own id of it, where the program makes one. */
  readonly programId: string | null
  /** When it last got a turn; null: never, so there is nothing to resume. */
  readonly usedAtMs: number | null
  /** The session that it begins as a copy of; it may be gone. */
  readonly forkOf: SessionId | null
}

const SESSION_COLUMNS =
  "id, held_by as heldBy, program_id as programId, used_at as usedAtMs, fork_of as forkOf"

const FIND = `select ${SESSION_COLUMNS} from sessions where id = :id`

export function findSession(db: Db, id: SessionId): Session | undefined {
  return sql(db, FIND).find({ id }) as Session | undefined
}

const LATEST = `
  select ${SESSION_COLUMNS} from sessions
  where id in (
    select job_sessions.session from jobs join job_sessions on job_sessions.job = jobs.id
    where jobs.task = :task
    union
    select sessions.id from tasks join sessions
      on sessions.work_item = tasks.work_item and sessions.agent = tasks.agent
    where tasks.id = :task)
  order by started_at desc, rowid desc limit 1`

/** Finds the latest conversation of a task's agent on its work item, or else of the task: the one to resume. */
export function latestSession(db: Db, task: TaskId): Session | undefined {
  return sql(db, LATEST).find({ task }) as Session | undefined
}

/**
 * Checks whether a process of an agent still has a conversation.
 *
 * For the open turn of `tasks.id`.
 */
export const SESSION_IS_FREE = `
  not exists (select 1 from turns join processes on processes.session = turns.session
    where turns.task = tasks.id and turns.ended_at is null)`

/** Whether no process has the session: the agent of an earlier task, cancelled, may be ending. */
export function isSessionFree(db: Db, id: SessionId): boolean {
  return sql(db, "select 1 from processes where session = :id").find({ id }) === undefined
}
