/**
 * Moves targets with their checkouts. All targets are locked before the first one moves.
 *
 * A failure before the first move leaves all targets unchanged. After that only a crash or git
 * itself can stop the next one, and we record each move. With a single target, the landing's
 * outcome is that record, and the intent stays until then.
 */

import { unreachable } from "../../../base/assert.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listRefLocks } from "../../git/ask/ref-lock.ts"
import { findIndexLock } from "../../git/change/own-index.ts"
import { GitError, GitStartError } from "../../git/start/errors.ts"
import { GitTimeoutError } from "../../git/start/limits.ts"
import type { Outcome, Rows, Step } from "../action.ts"
import { nameTarget } from "../landing-repos.ts"
import { recordDecided, recordIntent, recordPublished } from "../rows/record.ts"
import type { LandingRepo } from "../rows/row.ts"
import { blocked, locked, lostRace } from "../waiting-outcomes.ts"
import {
  type Intent,
  type LockedBranch,
  lockBranch,
  type Moved,
  type Unlockable,
} from "./advance-branch.ts"
import { isPublished } from "./is-published.ts"
import { mendLeft } from "./mend-left.ts"
import { hasBegun } from "./mend-ownership.ts"

export type IntendedMove = { readonly repo: LandingRepo; readonly intent: Intent }

type Stop = {
  readonly move: IntendedMove
  readonly why: Unlockable | Exclude<Moved, { kind: "advanced" }>
}

/** Git may have been killed at any instant, so ask for the present state. */
const CUT_OFF = [GitError, GitStartError, GitTimeoutError]

/** @returns undefined if every target is at its candidate, else the cause of a wait. */
export async function moveTargets(
  step: Step<Rows>,
  moves: readonly IntendedMove[],
): Promise<Outcome | undefined> {
  try {
    const stop = await lockAndMove(step, moves)
    return stop && (await conclude(step, moves, stop))
  } catch (error) {
    if (!CUT_OFF.some((kind) => error instanceof kind)) throw error
    const outcome = await askGit(step, moves)
    if (outcome === "moved") return undefined
    if (outcome) return outcome
    throw error
  }
}

async function lockAndMove(
  step: Step<Rows>,
  moves: readonly IntendedMove[],
): Promise<Stop | undefined> {
  const { context, landing } = step
  await using locks = new AsyncDisposableStack()
  const locked: { move: IntendedMove; branch: LockedBranch }[] = []
  for (const move of moves) {
    const branch = await lock(step, move)
    if (branch.kind !== "locked") return { move, why: branch }
    locked.push({ move, branch: locks.use(branch) })
  }
  if (moves.length > 1) {
    recordDecided(context.db, landing, context.world.nowMs())
    await context.world.point("publishing: decided")
  }
  for (const { move, branch } of locked) {
    const moved = await branch.move()
    if (moved.kind !== "advanced") return { move, why: moved }
    // A single one is on record with the landing's next state.
    if (moves.length > 1) recordPublished(context.db, landing, move.repo.name)
    await context.world.point("publishing: one published")
  }
  return undefined
}

function lock(step: Step<Rows>, { repo, intent }: IntendedMove): ReturnType<typeof lockBranch> {
  const { context, landing, held } = step
  const { db, world } = context
  const record = (now: Intent) => recordIntent(db, landing, repo.name, now)
  return lockBranch({ repo: repo.path, intent, reason: landReason(step), world, held, record })
}

/**
 * The locks are gone, so the other targets are unchanged, except for a move that git left half
 * done.
 */
async function conclude(
  step: Step<Rows>,
  moves: readonly IntendedMove[],
  { move, why }: Stop,
): Promise<Outcome> {
  const { db } = step.context
  const half = why.kind === "refused" && (await isLeftHalf(move.intent)) ? move : undefined
  for (const { repo } of moves.filter((one) => one !== half))
    recordIntent(db, step.landing, repo.name, null)
  const waits = half && (await mendLeft(step, half.repo))
  return waits ?? (await describe(step, move, why))
}

/** Git checks before it writes, so a refused move has rarely begun. */
async function isLeftHalf({ checkout, from, to }: Intent): Promise<boolean> {
  return checkout !== null && hasBegun(checkout, await listChanges(checkout, from, to))
}

async function describe(
  step: Step<Rows>,
  { repo, intent }: IntendedMove,
  why: Stop["why"],
): Promise<Outcome> {
  const target = nameTarget(step.landing, repo)
  switch (why.kind) {
    case "moved":
      return await lostRace(step, repo)
    case "refused":
      return blocked(step, "DIRTY_MAIN", {
        reason: `git refuses to advance the checkout: ${why.said}`,
      })
    case "headMoved":
      return blocked(step, "LOCKED", { reason: `${target} is being checked out` })
    case "refLocked":
      return locked(step, await listRefLocks(repo.path, repo.target), `of ${repo.target}`)
    case "indexLocked": {
      const lock = await findIndexLock(intent.checkout ?? repo.path)
      return locked(step, [lock ?? []].flat(), `in the checkout of ${repo.target}`)
    }
    default:
      return unreachable(why, "why a target did not move")
  }
}

/** @returns `moved` if all targets moved, so there is no error. Undefined if the error counts. */
async function askGit(
  step: Step<Rows>,
  moves: readonly IntendedMove[],
): Promise<Outcome | "moved" | undefined> {
  let published = 0
  for (const { repo } of moves) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits
    if (!(await isPublished(step, repo))) continue
    recordPublished(step.context.db, step.landing, repo.name)
    published++
  }
  return published === moves.length ? "moved" : undefined
}

export const landReason = ({ task, landing }: Pick<Step, "task" | "landing">): string =>
  `coppice: land task ${task.id} (landing ${landing.id})`
