/** Writes down that a task's worktree was moved: git knows it by its entry, wherever it lies. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set worktree = :worktree where task = :task and name = :name"

export function recordMoved(db: Db, moved: TaskRepoKey & { readonly worktree: string }): void {
  const { task, name, worktree } = moved
  const changed = sql(db, RECORD).run({ task, name, worktree })
  assert(changed === 1, "a worktree that was moved is of a repository of its task")
}
