/** Records the last sign of life of a task's agent. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = `
  update jobs set heartbeat_at = :atMs
  where task = :task and state = 'running' and coalesce(heartbeat_at, 0) < :atMs`

/** Does not decide whether the agent lives: its process does. */
export function recordHeartbeat(db: Db, task: TaskId, atMs: number): void {
  sql(db, RECORD).run({ task, atMs })
}
