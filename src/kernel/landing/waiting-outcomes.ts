/** The outcomes of landings that must wait or begin again, each with its cause. */
import type { Oid } from "../../base/ids.ts"
import { readReflog } from "../git/ask/reflog.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import type { Outcome, Rows, Step } from "./action.ts"
import { nameTarget } from "./landing-repos.ts"
import type { LandingRepo } from "./rows/row.ts"
import { isOutpaced } from "./rules/races.ts"
import type { LandingOutcome } from "./rules.ts"

/** How long a landing waits before it checks again. */
const RECHECK_MS = {
  DIRTY_MAIN: 2_000,
  LOCKED: 1_000, // git holds its locks for milliseconds; a second is patient and feels immediate
  TARGET_RED: 30_000, // until a fix lands; results are remembered, so a check is cheap
  TARGET_GONE: 2_000, // the target may be renamed back
  FORGE_UNAVAILABLE: 15_000, // networks and limits take their time
  REMOTE_UNAVAILABLE: 15_000,
  UNPUSHED: 2_000, // until a person pushes; the look is at local refs alone
  UPSTREAM_APART: 2_000, // until a person brings the two together; the look is at local refs alone
  LOWER_CLOSED: 2_000, // until it is proposed again; the look is at rows alone
  UNSIGNED: undefined, // only a person can make the key ready
  PUSH_REFUSED: undefined, // only a person can change what the remote takes
  GATE_UNAVAILABLE: undefined, // only a person can put it right
  TOO_MUCH_LEFT: undefined, // likewise
} as const

/** The same for all other waits, unless the wait has its own time. */
const NEXT_RECHECK_MS = 2_000

/** The `details` of a waiting landing. */
export type WaitDetails = {
  /** Files in the way, as display paths; absolute paths of locks. */
  readonly paths: readonly string[]
  /** Worktrees in which agents have a turn. */
  readonly worktrees?: readonly string[]
  /** The branch that is probably meant by a target that is gone. */
  readonly successor?: string | undefined
  /** The commits of the target and of its remote-tracking ref. */
  readonly refs?: readonly string[]
  /** The hash of the gate's inputs with which a git hook refused the target itself. */
  readonly refused?: string
  /** The step after its remote that a target cannot take. */
  readonly move?: TargetMove
}

export type TargetMove = { readonly name: string; readonly from: Oid; readonly to: Oid }

export function blocked(
  { context }: Step<Rows>,
  outcome: keyof typeof RECHECK_MS,
  {
    reason,
    paths = [],
    worktrees,
    successor,
    refs,
    refused,
    move,
  }: { readonly reason: string } & Partial<WaitDetails>,
): Outcome {
  const delayMs = RECHECK_MS[outcome]
  const wakeAtMs = delayMs === undefined ? null : context.world.nowMs() + delayMs
  const details: WaitDetails = {
    paths,
    ...(worktrees && { worktrees }),
    ...(successor && { successor }),
    ...(refs && { refs }),
    ...(refused && { refused }),
    ...(move && { move }),
  }
  return { event: "blocked", outcome, reason, details, wakeAtMs }
}

/** @param of says which locks these are, for the case that they have just gone. */
export function locked(step: Step<Rows>, paths: readonly string[], of: string): Outcome {
  return blocked(step, "LOCKED", { reason: `git's lock ${paths.join(", ") || of} is held`, paths })
}

/** Postpones the next check after one that found no change. */
export function nextRecheckMs(outcome: LandingOutcome | null): number {
  const known: Partial<Record<LandingOutcome, number | undefined>> = RECHECK_MS
  return (outcome && known[outcome]) || NEXT_RECHECK_MS
}

/** The landing begins again. Uses no attempts. @param last names the last move of the target. */
export function targetMoved({ landing }: Step, repo: LandingRepo, last = ""): Outcome {
  const races = landing.races + 1
  const times = isOutpaced({ races }) ? ` ${races} times` : ""
  const reason = `${nameTarget(landing, repo)} moved${times} while the landing was under way${last}`
  return { event: "moved", outcome: "FF_NOT_POSSIBLE", reason, races }
}

/** The same for a target here. After several lost races the reason names who moves it, by its reflog. */
export async function lostRace(step: Step, repo: LandingRepo): Promise<Outcome> {
  const { path, target } = repo
  const isNamed = isOutpaced({ races: step.landing.races + 1 }) && (await readCommit(path, target))
  const [last] = isNamed ? await readReflog(path, target, 1) : []
  const how = last && (last.reason || "without a reason")
  return targetMoved(step, repo, last ? `, the last time by ${last.by} (${how})` : "")
}
