/** Gives a task the workspace of a complete or cancelled task of the same work item. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { KEPT_EVENT } from "../tasks/list-due.ts"
import type { Task, TaskRepo } from "../tasks/row.ts"
import { recordRemoved } from "./record-removed.ts"

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
 * A worktree has one task, so the earlier one loses it, with event `workspace.passed_on`.
 *
 * @returns whether there was one.
 */
export function takeOverWorkspace(
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
