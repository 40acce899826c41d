/** Writes down that a task's worktree is gone. The branch's name stays: a person may refer to it. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD =
  "update task_repos set worktree = null, ready = 0 where task = :task and name = :name"

export function recordRemoved(db: Db, { task, name }: TaskRepoKey): void {
  const changed = sql(db, RECORD).run({ task, name })
  assert(changed === 1, "a worktree that was removed is of a repository of its task")
}
