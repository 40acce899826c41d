/** Records the workspace of a task in one of its repositories, from set-up to the next resume. */
import { assert } from "../../../../base/assert.ts"
import type { Oid, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import type { TaskRepoKey } from "./work.ts"

export type RecordedWorkspace = TaskRepoKey & {
  /** A branch of ours: see recordMade. */
  readonly branch: string
  readonly worktree: string
  /** Git's own folder of it. */
  readonly entry?: string | undefined
  readonly base: Oid
  readonly placed: readonly string[]
}

const RECORD = `
  update task_repos
  set branch = :branch, made_branch = :branch, made_at = coalesce(made_at, :base),
    worktree = :worktree, entry = :entry, base = :base, placed = :placed
  where task = :task and name = :name`

export function recordWorkspace(db: Db, workspace: RecordedWorkspace): void {
  const { task, name, branch, worktree, entry = null, base } = workspace
  const placed = JSON.stringify(workspace.placed)
  const changed = sql(db, RECORD).run({ task, name, branch, worktree, entry, base, placed })
  assert(changed === 1, "a workspace belongs to a repository of its task")
}

const RECORD_AS_FOUND = `
  update task_repos set base = :base, as_found = :asFound
  where task = :task and name = :name and base is null`

export type AsFound = {
  /** The commit of HEAD. */
  readonly base: Oid
  /** The tree of the files; null if there are too many files to read. */
  readonly asFound: Oid | null
}

/**
 * Records the content of a static folder before its task's agent works there.
 *
 * Only once: a later job of the task finds the task's own changes.
 */
export function recordAsFound(db: Db, { task, name, base, asFound }: TaskRepoKey & AsFound): void {
  sql(db, RECORD_AS_FOUND).run({ task, name, base, asFound })
}

const RECORD_READY =
  "update task_repos set ready = 1, torn_down = 0 where task = :task and name = :name"

/** Records that a worktree is able to run: its set-up and its check have passed. */
export function recordReady(db: Db, { task, name }: TaskRepoKey): void {
  const changed = sql(db, RECORD_READY).run({ task, name })
  assert(changed === 1, "a worktree that is ready is of a repository of its task")
}

const RECORD_MOVED =
  "update task_repos set worktree = :worktree where task = :task and name = :name"

/** The owner record moves too: kernel/workspaces/removal.ts removes only recorded paths. */
const MOVE = `
  update or ignore worktrees set path = :worktree where path =
    (select worktree from task_repos where task = :task and name = :name)`

/** Records that a task's worktree was moved. Git still knows it by its entry. */
export function recordMoved(db: Db, moved: TaskRepoKey & { readonly worktree: string }): void {
  const { task, name, worktree } = moved
  transaction(db, () => {
    sql(db, MOVE).run({ task, name, worktree })
    const changed = sql(db, RECORD_MOVED).run({ task, name, worktree })
    assert(changed === 1, "a worktree that was moved is of a repository of its task")
  })
}

/**
 * Earlier landings stay recorded. If the worktree is gone, so is the branch, and the next one begins at
 * the target; a kept one continues as it is.
 */
const RECORD_RESUMED = `
  update task_repos
  set branch = case when worktree is not null then branch end,
      made_branch = case when worktree is not null then made_branch end,
      base = case when worktree is not null then base end, start = null,
      merge_base = null, merge_tip = null,
      taken_back = case when worktree is not null then taken_back end
  where task = :task`

/** Makes a repository of a complete task ready for more work. */
export function recordResumed(db: Db, task: TaskId): void {
  sql(db, RECORD_RESUMED).run({ task })
}
