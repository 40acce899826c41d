/** Records that the `teardown` command has run in a worktree. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set torn_down = 1, ready = 0 where task = :task and name = :name"

export function recordTornDown(db: Db, { task, name }: TaskRepoKey): void {
  sql(db, RECORD).run({ task, name })
}
