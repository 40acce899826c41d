/** Finds the other task that works in the place a task needs. */
import type { LandingId, TaskId } from "../../base/ids.ts"
import type { Rest } from "../../base/retry.ts"
import type { Db } from "../store/open.ts"
import { findTask } from "../tasks/rows/find.ts"
import type { Task } from "../tasks/rows/row.ts"
import { findWorkItemUser } from "../tasks/rows/work-item.ts"
import { findFolderUser } from "../workspaces/rows/folder-leases.ts"
import type { Busy, Held, Step } from "./rules/why.ts"
import type { Bound } from "./rules/why-asked.ts"

/** Facts that only a running daemon's loops know. */
export type LiveFacts = {
  readonly db: Db
  /** The error after which a task, or its landing, rests before the next try. */
  findRest(task: TaskId, landing: LandingId | undefined): Rest | null
  /** A short wait of the task's work, for another reason. */
  findStep(task: TaskId): Step | null
  /** The bounds that keep a due task from its slot. */
  findBounds(task: TaskId): readonly Bound[]
  /** The worktree that a turn of the task waits for, since when, and the task that has it. */
  findWait(
    task: TaskId,
  ): { readonly worktree: string; readonly sinceMs: number; readonly by: TaskId } | undefined
}

/** Null if nothing does. */
export function findBusy(
  db: Db,
  { id, state, strategy, workItem }: Pick<Task, "id" | "state" | "strategy" | "workItem">,
): Busy | null {
  const before = state === "registered" ? findWorkItemUser(db, id) : undefined
  if (before !== undefined && workItem !== null) return { task: before, what: workItem }
  if (strategy !== "static" || (state !== "registered" && state !== "working")) return null
  const user = findFolderUser(db, id)
  return user ? { task: user.task, what: user.path } : null
}

/** The task that holds the worktree of a due turn. */
export function findHeld({ db, findWait }: LiveFacts, id: TaskId): Held | null {
  const wait = findWait(id)
  if (!wait) return null
  const { worktree, sinceMs, by: task } = wait
  return { worktree, sinceMs, task, isLanding: findTask(db, task)?.state === "merging" }
}
