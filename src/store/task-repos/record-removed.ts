/** Records that a task's worktree is gone. The branch's name stays: a person may refer to it. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { releasePorts } from "../ports/release.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = `
  update task_repos
  set worktree = null, ready = 0, torn_down = 0,
    made_branch = case when :branch = 'deleted' then null else made_branch end
  where task = :task and name = :name`

/**
 * Its ports go with it.
 *
 * @param branch whether its branch was removed too: a later branch of the same name is not ours.
 */
export function recordRemoved(
  db: Db,
  { task, name }: TaskRepoKey,
  branch: "deleted" | "kept" = "kept",
): void {
  transaction(db, () => {
    const changed = sql(db, RECORD).run({ task, name, branch })
    assert(changed === 1, "a worktree that was removed is of a repository of its task")
    releasePorts(db, { task, name })
  })
}
