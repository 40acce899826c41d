/** Records where a task's work begins, its branch, and how it landed. */
import { assert } from "../../../../base/assert.ts"
import { branchRef, type Oid, type TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql } from "../../../store/sql.ts"

export type TaskRepoKey = { readonly task: TaskId; readonly name: string }

const RECORD = "update task_repos set base = :base where task = :task and name = :name"

/** Records that a task's work begins at another commit, after its agent integrated the target. */
export function recordBase(db: Db, moved: TaskRepoKey & { readonly base: Oid }): void {
  const { task, name, base } = moved
  const changed = sql(db, RECORD).run({ task, name, base })
  assert(changed === 1, "a base belongs to a repository of its task")
}

const RECORD_BRANCH =
  "update task_repos set branch = :branch, made_branch = :branch where task = :task and name = :name"

/** Records that the agent renamed the branch of its worktree. Coppice follows the worktree. */
export function recordBranch(db: Db, renamed: TaskRepoKey & { readonly branch: string }): void {
  const { task, name, branch } = renamed
  const changed = sql(db, RECORD_BRANCH).run({ task, name, branch })
  assert(changed === 1, "a branch belongs to a repository of its task")
}

const RECORD_TARGET = "update task_repos set target = :target where task = :task"
const RECORD_TARGET_OF_LANDING = `
  update landing_repos set target = :ref
  where landing = (select max(id) from landings where task = :task)
    and not exists (select 1 from landings where task = :task and state = 'landed'
      and id = landing_repos.landing)`

/** Records that a task, with its unfinished landing, lands on another branch in all its repositories. */
export function recordTarget(db: Db, task: TaskId, target: string): void {
  sql(db, RECORD_TARGET).run({ task, target })
  sql(db, RECORD_TARGET_OF_LANDING).run({ task, ref: branchRef(target) })
}

const RECORD_MADE = `
  update task_repos set made_branch = :branch, made_at = :at where task = :task and name = :name`

export type MadeBranch = TaskRepoKey & { readonly branch: string; readonly at: Oid }

/** Records that a branch is about to be made for a task: only such a branch is ours. */
export function recordMade(db: Db, { task, name, branch, at }: MadeBranch): void {
  const changed = sql(db, RECORD_MADE).run({ task, name, branch, at })
  assert(changed === 1, "a branch is made for a repository of its task")
}

export type RecordedMove = TaskRepoKey & {
  /** The target before. */
  readonly mergeBase: Oid
  /** The target after. */
  readonly mergeTip: Oid
}

const RECORD_LANDED = `
  update task_repos set merge_base = :mergeBase, merge_tip = :mergeTip, taken_back = null
  where task = :task and name = :name`

export function recordLanded(db: Db, { task, name, mergeBase, mergeTip }: RecordedMove): void {
  const changed = sql(db, RECORD_LANDED).run({ task, name, mergeBase, mergeTip })
  assert(changed === 1, "the landed repository belongs to its task")
}

const RECORD_TAKEN_BACK =
  "update task_repos set taken_back = :tip where task = :task and name = :name"

/** @param taken `tip`: the target's commit that reverted it; null: its change is on the target again. */
export function recordTakenBack(db: Db, taken: TaskRepoKey & { readonly tip: Oid | null }): void {
  const { task, name, tip } = taken
  const changed = sql(db, RECORD_TAKEN_BACK).run({ task, name, tip })
  assert(changed === 1, "the reverted repository belongs to its task")
}
