/** Decides what the state of a task means for a terminal in its worktree. */

import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { isRunnable } from "../../kernel/landing/rules.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listToClean } from "../../kernel/tasks/rows/list-due.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { dutyOf } from "../../kernel/tasks/rules/duty.ts"
import { locateWorktree } from "../../kernel/workspaces/follow-worktree.ts"
import { folderOf } from "../../kernel/workspaces/workspace-facts.ts"
import type { TerminalPlace } from "./terminal.ts"

/** `ends`: it has to end now, and why. `notice`: what happens under it; null if nothing does. */
export type Standing =
  | { readonly kind: "ends"; readonly why: string }
  | { readonly kind: "open"; readonly notice: string | null }

const LANDING =
  "The task is landing. Its landing may change the files here, and this terminal ends when the work has landed."

/** A worktree is removed only after its terminals have ended, so nothing that they wrote is missed. */
export function terminalStanding(db: Db, { task: id, repo, folder }: TerminalPlace): Standing {
  const task = findTask(db, id)
  if (!task || task.deletion !== null) return ends("The task is being deleted.")
  const landing = findLandingOfTask(db, id)
  if (landing?.state === "cleaning") return ends("The work has landed, and its worktree goes.")
  if (isLeaving(db, task)) return ends("The task is over, and its worktree goes.")
  const own = task.repos.find(({ name }) => name === repo)
  const now = own && folderOf(task, locateWorktree(own))
  if (now !== folder) return ends("The task has its worktree here no longer.")
  const isMoving = landing && isRunnable(landing.state) && landing.state !== "proposed"
  return { kind: "open", notice: isMoving ? LANDING : null }
}

const ends = (why: string): Standing => ({ kind: "ends", why })

const isLeaving = (db: Db, task: Task): boolean =>
  dutyOf(task) === "clean" && listToClean(db).includes(task.id)
