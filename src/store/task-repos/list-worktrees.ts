/** Lists the tasks of a repository with the facts that decide about their worktrees. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "../tasks/list-due.ts"

export type TaskWorktreeRow = {
  readonly task: TaskId
  readonly title: string
  /** Name in the configuration. */
  readonly agent: string | null
  readonly state: string
  /** Name of the repository within the task. */
  readonly name: string
  /** Branch names. */
  readonly target: string
  readonly branch: string | null
  /** Absolute path; null before set-up and after removal. */
  readonly worktree: string | null
  /** JSON: paths that `copy` and `link` put there. */
  readonly placed: string
  readonly updatedAtMs: number
  /** It is complete or cancelled, and cleaned up: only a person can change it. */
  readonly isOver: boolean
}

const LIST = `
  select tasks.id as task, title, agent, state, name, target, branch, worktree, placed,
    updated_at as updatedAtMs,
    state in ('complete', 'cancelled')
      and not exists (select 1 from landings
        where landings.task = tasks.id and landings.state not in ('landed', 'cancelled'))
      and not exists (select 1 from processes where processes.task = tasks.id)
      and (state = 'complete'
        or not exists (select 1 from jobs where jobs.task = tasks.id)
        or exists (select 1 from events where events.task = tasks.id
          and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))) as isOver
  from task_repos repo join tasks on tasks.id = repo.task
  where repo.path = :path
  order by tasks.id`

/** @param path main worktree, or bare directory. */
export function listTaskWorktrees(db: Db, path: string): TaskWorktreeRow[] {
  return sql(db, LIST)
    .list({ path })
    .map((row) => ({ ...row, isOver: row["isOver"] === 1 }) as TaskWorktreeRow)
}
