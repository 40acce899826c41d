/** Records that a workspace is torn down, gone, or another task's. */
import { assert } from "../../../../base/assert.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { releasePorts } from "../../../workspaces/rows/ports.ts"
import { KEPT_EVENT } from "../list-due.ts"
import type { Task, TaskRepo } from "../row.ts"
import type { TaskRepoKey } from "./work.ts"

const RECORD = "update task_repos set torn_down = 1, ready = 0 where task = :task and name = :name"

export function recordTornDown(db: Db, { task, name }: TaskRepoKey): void {
  sql(db, RECORD).run({ task, name })
}

const RECORD_REMOVED = `
  update task_repos
  set worktree = null, ready = 0, torn_down = 0,
    made_branch = case when :branch = 'deleted' then null else made_branch end
  where task = :task and name = :name`

/**
 * Records that a task's worktree is gone. The branch's name stays: a person may refer to it.
 *
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
    const changed = sql(db, RECORD_REMOVED).run({ task, name, branch })
    assert(changed === 1, "a worktree that was removed is of a repository of its task")
    releasePorts(db, { task, name })
  })
}

const FIND = `
  select repo.task, repo.name
  from task_repos repo join tasks on tasks.id = repo.task
  where tasks.work_item = :workItem and tasks.agent = :agent and tasks.id <> :task
    and (tasks.state = 'complete' or (tasks.state = 'cancelled' and exists (select 1 from events
      where events.task = tasks.id and type = '${KEPT_EVENT}')))
    and repo.path = :path
    and repo.worktree is not null and repo.branch is not null and repo.base is not null
  order by tasks.id desc limit 1`

const TAKE = `
  update task_repos
  set (branch, made_branch, made_at, worktree, entry, base, placed) =
    (select branch, made_branch, made_at, worktree, entry, base, placed
      from task_repos where task = :from and name = :fromName)
  where task = :task and name = :name and branch is null`

const OWN = `
  update worktrees set task = :task where path =
    (select worktree from task_repos where task = :task and name = :name)`

/**
 * Gives a task the workspace of a complete or cancelled task of the same work item.
 *
 * A worktree has one task, so the earlier one loses it, with event `workspace.passed_on`.
 *
 * @returns whether there was one.
 */
export function passOnWorkspace(
  db: Db,
  { id: task, workItem, agent }: Pick<Task, "id" | "workItem" | "agent">,
  { name, path }: Pick<TaskRepo, "name" | "path">,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const left = sql(db, FIND).find({ task, workItem, agent, path }) as
      | (Pick<TaskRepo, "name"> & { readonly task: Task["id"] })
      | undefined
    if (!left) return false
    const taken = sql(db, TAKE).run({ task, name, from: left.task, fromName: left.name })
    if (taken === 0) return false
    sql(db, OWN).run({ task, name })
    recordRemoved(db, left)
    const data = { repo: left.name, to: task }
    appendEvent(db, { type: "workspace.passed_on", task: left.task, data }, nowMs)
    return true
  })
}
