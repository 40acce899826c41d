/** What keeps a task from beginning: another one that works where it is to work. */
import type { TaskId } from "../core/ids.ts"
import type { Busy, Held } from "../core/why.ts"
import { findFolderUser } from "../store/folder-leases/find-user.ts"
import type { Db } from "../store/open.ts"
import { findTask } from "../store/tasks/find.ts"
import { findWorkItemUser } from "../store/tasks/find-work-item-user.ts"
import type { Task } from "../store/tasks/row.ts"
import type { Fleet } from "./fleet.ts"

/** Null where nothing does. */
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

/** What a turn that is due waits for, because it has the turn's worktree alone. */
export function findHeld(
  { db, findWait }: Pick<Fleet, "db" | "findWait">,
  id: TaskId,
): Held | null {
  const wait = findWait(id)
  if (!wait) return null
  const { worktree, sinceMs, by: task } = wait
  return { worktree, sinceMs, task, isLanding: findTask(db, task)?.state === "merging" }
}
