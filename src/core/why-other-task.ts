/** Says which other task is in the way of one, and what frees it. Pure. */
import type { Why } from "./why.ts"

/** `what`: a work item, or the path of a folder. */
export type Busy = { readonly task: number; readonly what: string }

export type Held = {
  readonly worktree: string
  readonly sinceMs: number
  /** Whose landing, or else whose removal, has the worktree, or is to have it next. */
  readonly task: number
  readonly isLanding: boolean
}

/** What a turn waits for whose worktree another task has. */
export function whyHeld({ worktree, sinceMs, ...by }: Held): Why {
  const unblock = by.isLanding
    ? `that landing is done with it; \`coppice why ${by.task}\` says how far it is`
    : "nothing: it goes on by itself"
  return { waitingFor: heldReason({ worktree, ...by }), sinceMs, unblock, paths: [] }
}

/** What a turn waits for, as the end of a sentence about it. */
export function heldReason({ worktree, task, isLanding }: Omit<Held, "sinceMs">): string {
  const what = isLanding ? "the landing" : "the clean-up"
  return `its worktree (${worktree}), which ${what} of task ${task} has`
}

/** As the end of a sentence about the task that is in the way. */
export const busyReason = ({ what }: Busy): string => `which works on ${what}`

/** What ends the wait for it. */
export const whenFree = ({ task }: Busy): string =>
  `that task is complete; \`coppice show ${task}\` shows it, \`coppice cancel ${task}\` gives it up`
