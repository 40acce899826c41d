/** Submits work without an agent for landing: a branch, a worktree, or a bare commit. */
import { branchRef, type LandingId, type Oid, type TaskId } from "../../base/ids.ts"
import type { Db } from "../store/open.ts"
import { transaction } from "../store/sql.ts"
import { addTask } from "../tasks/rows/add.ts"
import { recordTask } from "../tasks/rows/record.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import { addLanding } from "./rows/add.ts"
import type { Landing } from "./rows/row.ts"

export type WorkToSubmit = {
  readonly title: string
  readonly repos: readonly WorkInRepo[]
  /** Default: `merge`. */
  readonly land?: "merge" | "approve"
  /** Default: 0. */
  readonly priority?: number
  /** The work lands after these tasks. */
  readonly after?: readonly TaskId[]
  /** The landing that this work reverts. */
  readonly undoes?: LandingId
}

/**
 * The work in one repository. `branch` (a branch name) wins over `worktree` (an absolute path,
 * whose HEAD is the work). Without either, `head` alone is the work.
 */
export type WorkInRepo = Pick<TaskRepo, "name" | "path" | "target"> & {
  readonly branch?: string
  readonly worktree?: string
  readonly head?: Oid
  /** The commit after which the work begins. Default: the merge base with the target. */
  readonly base?: Oid
}

/**
 * Adds a task without an agent, and its landing, in one transaction. The task is merging at once:
 * events `task.created`, `task.landing_requested`, `landing.submitted`.
 */
export function submitWork(
  db: Db,
  { title, repos, land = "merge", priority = 0, after = [], undoes }: WorkToSubmit,
  nowMs: number,
): { readonly task: Task; readonly landing: Landing } {
  return transaction(db, () => {
    const nobody = { agent: null, workItem: null, prompt: "", land } as const
    const task = addTask(db, { ...nobody, title, priority, after, repos }, nowMs)
    recordTask(db, task, { event: "landingRequested" }, nowMs)
    const heads = repos.map(({ name, path, target, head = null }) => {
      return { name, path, target: branchRef(target), head }
    })
    const landing = addLanding(db, { task: task.id, repos: heads, undoes: undoes ?? null }, nowMs)
    return { task: { ...task, state: "merging" }, landing }
  })
}
