/** Finds repositories of tasks, with their branches and worktrees. */
import type { Oid, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql } from "../../../store/sql.ts"
import { IS_OVER } from "../list-due.ts"
import { decodeJson, type Task } from "../row.ts"

const LIST_PATHS = "select distinct path from task_repos order by path"

/** Main worktrees, or bare directories; real paths. Some may be gone. */
export function listRepoPaths(db: Db): string[] {
  return sql(db, LIST_PATHS)
    .list()
    .map(({ path }) => path as string)
}

export type TaskBranch = {
  readonly task: TaskId
  readonly branch: string
  /** The commit that the task's work begins at, if known. */
  readonly base: Oid | null
}

const LIST_BRANCHES = `
  select task, branch, base from task_repos
  where path = :path and branch is not null and merge_tip is null
  order by task desc`

/** Lists the branches of a repository with unlanded work of tasks. */
export function listBranches(db: Db, path: string): TaskBranch[] {
  return sql(db, LIST_BRANCHES).list({ path }) as TaskBranch[]
}

/** `made_branch` is null once the branch is deleted. Kept work, without a landing, stays on purpose. */
const LIST_LEFT = `
  select task, made_branch as branch, base from task_repos join tasks on tasks.id = task
  where path = :path and made_branch is not null and worktree is null
    and state in ('complete', 'cancelled')
    and (state = 'cancelled' or exists (select 1 from landings where landings.task = tasks.id))
    and not exists (select 1 from landings
      where landings.task = tasks.id and landings.state not in ('landed', 'cancelled'))
  order by task`

/** Lists the branches that we made for tasks that are over, and have not deleted. Git may not have them. */
export function listLeftBranches(db: Db, path: string): TaskBranch[] {
  return sql(db, LIST_LEFT).list({ path }) as TaskBranch[]
}

const OF_HEAD = `
  select landings.task from landing_repos join landings on landings.id = landing_repos.landing
  where path = :path and head = :commit
  order by landings.id desc
  limit 1`

/** The task whose landing had this commit as its head; its branch may be gone by now. */
export function findTaskOfHead(db: Db, path: string, commit: Oid): TaskId | undefined {
  return sql(db, OF_HEAD).find({ path, commit })?.["task"] as TaskId | undefined
}

export type TaskWorktreeRow = {
  readonly task: TaskId
  readonly title: string
  readonly agent: string | null
  readonly program: Task["program"]
  readonly state: string
  readonly name: string
  readonly target: string
  readonly branch: string | null
  /** Absolute path; null before set-up and after removal. */
  readonly worktree: string | null
  /** JSON: paths that `copy` and `link` put there. */
  readonly placed: string
  readonly updatedAtMs: number
  /** The task is complete or cancelled, and cleaned up: only a person can change it. */
  readonly isOver: boolean
}

const LIST_WORKTREES = `
  select tasks.id as task, title, agent, program, state, name, target, branch, worktree, placed,
    updated_at as updatedAtMs, (${IS_OVER}) as isOver
  from task_repos repo join tasks on tasks.id = repo.task
  where repo.path = :path
  order by tasks.id`

/**
 * Lists the tasks of a repository with the facts that decide about their worktrees.
 *
 * @param path main worktree, or bare directory.
 */
export function listTaskWorktrees(db: Db, path: string): TaskWorktreeRow[] {
  return sql(db, LIST_WORKTREES)
    .list({ path })
    .map(
      ({ program, ...row }) =>
        ({
          ...row,
          program: decodeJson(program),
          isOver: row["isOver"] === 1,
        }) as TaskWorktreeRow,
    )
}

export type Shared = {
  /** The task that owns the branch and worktree; it does not count as a sharer. */
  readonly task: TaskId
  /** The repository's main worktree, or bare directory. */
  readonly path: string
  readonly branch: string | null | undefined
  readonly worktree: string
}

/** A complete or cancelled task no longer needs its branch, and does not count. */
const FIND = `
  select repo.task from task_repos repo join tasks on tasks.id = repo.task
  where repo.task <> :task and repo.path = :path
    and (repo.branch = :branch or repo.worktree = :worktree)
    and tasks.state not in ('complete', 'cancelled')
  order by repo.task limit 1`

/** Finds an unfinished task with the same branch or worktree as another one. */
export function findSharer(db: Db, { task, path, branch, worktree }: Shared): TaskId | undefined {
  const shared = { task, path, branch: branch ?? null, worktree }
  return sql(db, FIND).find(shared)?.["task"] as TaskId | undefined
}
