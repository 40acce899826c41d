/** Records that a task's worktree was moved. Git still knows it by its entry. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set worktree = :worktree where task = :task and name = :name"

/** Its owner record moves too: only recorded paths are ever removed (workspaces/removal.ts). */
const MOVE = `
  update or ignore worktrees set path = :worktree where path =
    (select worktree from task_repos where task = :task and name = :name)`

export function recordMoved(db: Db, moved: TaskRepoKey & { readonly worktree: string }): void {
  const { task, name, worktree } = moved
  transaction(db, () => {
    sql(db, MOVE).run({ task, name, worktree })
    const changed = sql(db, RECORD).run({ task, name, worktree })
    assert(changed === 1, "a worktree that was moved is of a repository of its task")
  })
}
