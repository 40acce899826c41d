/**
 * Stops a task whose agent failed. With `restart_on_failure` the same transaction starts it again, so
 * no one sees it stopped, and a crash neither loses nor repeats the restart.
 */

import { AppError, isTransient } from "../../base/errors.ts"
import { transaction } from "../store/sql.ts"
import type { JobsContext, Rows } from "./context.ts"
import type { Stopped } from "./prompts/fresh-conversation.ts"
import { restartTask } from "./restart-task.ts"
import { findTask } from "./rows/find.ts"
import { recordTask } from "./rows/record.ts"
import { mayRestart } from "./rows/restarts.ts"
import { closeTurn } from "./rows/turns/end.ts"
import { findOpenTurn, type Turn } from "./rows/turns/find.ts"
import { NO_USAGE } from "./rules/usage.ts"
import { hasTurns, type Reason } from "./rules.ts"

type Context = Rows & Pick<JobsContext, "findAgent" | "changedFiles" | "mintSessionId" | "onBug">

/**
 * Stops the task where it is, unless its turn had already ended and only the landing goes on.
 *
 * @param first the turn that the session began with. A turn opened since for another session is
 *   left alone.
 */
export async function recordStuck(context: Context, first: Turn, reason: Reason): Promise<void> {
  const { db, world } = context
  const changes = await changesToRestart(context, first, reason)
  transaction(db, () => {
    const nowMs = world.nowMs()
    const task = findTask(db, first.task)
    const turn = findOpenTurn(db, first.task)
    if (!task || !hasTurns(task.state) || turn?.session !== first.session) return
    closeTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
    // A person may have attached to it, or deleted it.
    const restarts = changes !== undefined && mayRestart(db, task.id)
    recordTask(db, task, { event: "gotStuck", reason, restarts }, nowMs)
    const stopped = findTask(db, task.id)
    if (restarts && stopped) restartTask(context, stopped, { changes, by: "coppice" })
  })
}

/** Failures that need no decision. */
const RESTARTABLE: readonly Reason["code"][] = ["failed", "died", "timed_out"]

/** @returns the changes so far, for the new agent; undefined if only a person can restart the task. */
async function changesToRestart(
  { db, findAgent, changedFiles, onBug }: Context,
  { task: id }: Turn,
  { code }: Reason,
): Promise<Stopped["changes"] | undefined> {
  const task = findTask(db, id)
  if (!task || !RESTARTABLE.includes(code) || !mayRestart(db, id)) return undefined
  if (findAgent(task)?.restartOnFailure !== true) return undefined
  try {
    return await changedFiles(task)
  } catch (error) {
    if (isTransient(error)) throw error // the turn is still open, and its job is tried again
    // Without its worktree, for example, a later try would fail too.
    if (!(error instanceof AppError) || error.blame === "bug") onBug(error)
    return undefined
  }
}
