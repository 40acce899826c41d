/** Postpones a turn whose model is unavailable, and gives up after many attempts. */
import type { SessionEnd } from "../runtimes/runtime.ts"
import type { Turn } from "../store/turns/find.ts"
import { findOpenTurn } from "../store/turns/find.ts"
import { postponeTurn } from "../store/turns/postpone.ts"
import type { Rows } from "./context.ts"

/** About two hours of attempts in all; a longer outage needs a person. */
const TRIES_MAX = 12
const WAIT_MS_MIN = 30_000
const WAIT_MS_MAX = 15 * 60_000

/**
 * @param first the turn that the session began with; the session may be at a later one now.
 * @returns false after too many attempts: the task is stuck then.
 */
export function postpone(
  { db, world }: Rows,
  first: Turn,
  { untilMs, text }: Extract<SessionEnd, { kind: "postponed" }>,
): boolean {
  const turn = findOpenTurn(db, first.task)
  if (turn?.session !== first.session) return true // the turn ended after all
  const nowMs = world.nowMs()
  if (untilMs !== null) {
    const atMs = Math.max(untilMs, nowMs + WAIT_MS_MIN)
    return postponeTurn(db, turn, { atMs, text, isFailure: false }, nowMs)
  }
  if (turn.failures + 1 >= TRIES_MAX) return false
  const ceilingMs = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** turn.failures)
  const atMs = nowMs + Math.floor((ceilingMs * (1 + world.dice())) / 2)
  return postponeTurn(db, turn, { atMs, text, isFailure: true }, nowMs)
}
