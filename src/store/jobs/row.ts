/** A job as stored: one execution of an agent for a task. */
import type { JobId, SessionId, TaskId } from "../../core/ids.ts"

export type Job = {
  readonly id: JobId
  readonly task: TaskId
  readonly state: "running" | "ended"
  readonly startedAtMs: number
  readonly endedAtMs: number | null
  /** The agent's last sign of life in its session file. */
  readonly heartbeatAtMs: number | null
}

/** A job with its conversations, the latest last. */
export type JobWithSessions = Pick<Job, "id" | "state"> & {
  readonly sessions: readonly SessionId[]
}

export const JOB_COLUMNS =
  "id, task, state, started_at as startedAtMs, ended_at as endedAtMs, heartbeat_at as heartbeatAtMs"
