/**
 * Looks whether what a landing waits for is still there.
 *
 * A landing that goes on goes on from a fresh snapshot. But most looks find that nothing has
 * changed, and such a look is to leave no trace: no event, and the wait is as old as it was. So
 * before a landing is woken, everything that its last round relied on is compared.
 */
import { existsSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { AppError } from "../core/errors.ts"
import { branchRef, type LandingId } from "../core/ids.ts"
import { readHead } from "../git/head.ts"
import { readCommit } from "../git/rev-parse.ts"
import { isWorktreeOf } from "../git/worktree-of.ts"
import { findLanding } from "../store/landings/find.ts"
import { recordLanding } from "../store/landings/record.ts"
import type { Landing, LandingRepo } from "../store/landings/row.ts"
import { findTask } from "../store/tasks/find.ts"
import type { Task } from "../store/tasks/row.ts"
import type { LandingContext } from "./action.ts"
import { isDirty } from "./gate/restore.ts"
import { type CheckoutLook, lookAtCheckout } from "./move/target-checkout.ts"
import { listToPublish } from "./open-repos.ts"

/** Wakes the landing, unless it is the user's checkout that was, and still is, in the way. */
export async function lookAgain({ db, world }: LandingContext, id: LandingId): Promise<void> {
  const landing = findLanding(db, id)
  const task = landing && findTask(db, landing.task)
  if (!task || landing.state !== "waiting" || (await isAsItWas(landing, task))) return
  recordLanding(db, landing, { event: "woken" }, world.nowMs())
}

async function isAsItWas(landing: Landing, task: Task): Promise<boolean> {
  const isCutOff = landing.repos.some(({ intent }) => intent !== null)
  if (landing.outcome !== "DIRTY_MAIN" || isCutOff) return false
  try {
    let isInTheWay = false
    for (const repo of listToPublish(landing)) {
      const { path, target, base, candidate } = repo
      if (!base || !candidate || (await hasMoved(task, repo))) return false
      const look = await lookAtCheckout(path, { target, from: base, to: candidate })
      isInTheWay ||= isTold(landing, look)
    }
    return isInTheWay
  } catch (error) {
    if (error instanceof AppError) return false // the round that follows says what is wrong
    throw error
  }
}

/** Whether the target, or what is to land on it, is not where the last round saw it. */
async function hasMoved(task: Task, landingRepo: LandingRepo): Promise<boolean> {
  const { path, target, base, head, candidate, name } = landingRepo
  if ((await readCommit(path, target)) !== base) return true
  const repo = task.repos.find((one) => one.name === name)
  const worktree = repo?.worktree && existsSync(repo.worktree) ? repo.worktree : undefined
  const isOurs = task.agent !== null
  if (worktree && isOurs && !(await isWorktreeOf(worktree, path))) return true
  if (worktree && isOurs && (await isDirty(worktree, repo?.placed ?? []))) return true
  const branch = repo?.branch
  const tip = branch ? await readCommit(path, branchRef(branch)) : undefined
  const stands = worktree ? (await readHead(worktree)).commit : tip
  const seen = [tip, stands].filter((commit) => commit !== undefined)
  return seen.some((commit) => commit !== head && commit !== candidate)
}

/** Whether this is what the landing says that it waits for. */
function isTold({ reason, details }: Landing, look: CheckoutLook): boolean {
  if (look.kind !== "inTheWay" || look.reason !== reason) return false
  return isDeepStrictEqual((details as { paths?: unknown } | null)?.paths, [...look.paths])
}
