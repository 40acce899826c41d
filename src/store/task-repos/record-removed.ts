/** Writes down that a task's worktree is gone. The branch's name stays: a person may refer to it. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { releasePorts } from "../ports/release.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = `
  update task_repos set worktree = null, ready = 0, torn_down = 0
  where task = :task and name = :name`

/** Its ports go with it. */
export function recordRemoved(db: Db, { task, name }: TaskRepoKey): void {
  transaction(db, () => {
    const changed = sql(db, RECORD).run({ task, name })
    assert(changed === 1, "a worktree that was removed is of a repository of its task")
    releasePorts(db, { task, name })
  })
}
