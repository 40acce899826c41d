/** Words and small formats of the page. */

import type { TaskLinesDocument } from "../../src/api/wire/tasks.ts"
import { clean } from "../../src/base/text/shown.ts"

export type Line = TaskLinesDocument["tasks"][number]

const STEPS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

/** How long ago an ISO time is, in its largest unit. */
export function age(time: string, nowMs: number): string {
  return lengthOf(Math.max(0, nowMs - Date.parse(time)))
}

/** A time in its largest unit. */
export function lengthOf(ms: number): string {
  const [unit, size] = STEPS.find(([, size]) => ms >= size) ?? STEPS[3]
  return `${Math.floor(ms / size)}${unit}`
}

export function dollars(usd: number): string {
  return `$${usd > 0 && usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2)}`
}

const STATES: Readonly<Record<string, string>> = {
  registered: "waiting for a place",
  planning_complete: "plan to approve",
  in_approval: "to approve",
  merging: "landing",
  merge_failed: "did not land",
}

export const stateWords = (state: string): string => STATES[state] ?? state.replaceAll("_", " ")

/** The class for the colour of a task: in trouble, asking, done, at work, or waiting. */
export function toneOf({ state, attention }: Pick<Line, "state" | "attention">): string {
  if (state === "stuck" || state === "merge_failed") return "bad"
  if (attention) return "ask"
  if (state === "complete") return "good"
  return ["working", "planning", "merging"].includes(state) ? "live" : "still"
}

/** Why a task is where it is, or the last thing that it did. */
export function lastWords({ reason, landing, state, kept, last }: Line): string {
  if (reason) return clean(reason.text || reason.code)
  if (state === "merging" && landing)
    return clean(landing.reason ?? LANDING[landing.state] ?? landing.state)
  return kept ? "Its work is kept, not landed." : clean(last ?? "")
}

const LANDING: Readonly<Record<string, string>> = {
  gating: "The tests run.",
  preparing: "It is put on top of the target.",
  queued: "It is in the queue.",
  publishing: "The target is being moved.",
}
