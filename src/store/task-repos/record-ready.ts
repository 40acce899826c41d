/** Records that a worktree is able to run: its set-up and its check have passed. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set ready = 1, torn_down = 0 where task = :task and name = :name"

export function recordReady(db: Db, { task, name }: TaskRepoKey): void {
  const changed = sql(db, RECORD).run({ task, name })
  assert(changed === 1, "a worktree that is ready is of a repository of its task")
}
