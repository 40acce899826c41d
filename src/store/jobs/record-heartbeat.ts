/** Writes down when a task's agent last gave a sign of life. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = `
  update jobs set heartbeat_at = :atMs
  where task = :task and state = 'running' and coalesce(heartbeat_at, 0) < :atMs`

/** Says nothing about whether it lives: that is known of its process. */
export function recordHeartbeat(db: Db, task: TaskId, atMs: number): void {
  sql(db, RECORD).run({ task, atMs })
}
