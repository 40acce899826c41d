/** Explains which other task a task waits for, and what would free it. Pure. */
import type { Why } from "./why.ts"

/** `what`: a work item, or the path of a folder. */
export type Busy = { readonly task: number; readonly what: string }

export type Held = {
  readonly worktree: string
  readonly sinceMs: number
  /** The task whose landing, or else removal, has the worktree or gets it next. */
  readonly task: number
  readonly isLanding: boolean
}

/** The wait of a turn whose worktree another task has. */
export function whyHeld({ worktree, sinceMs, ...by }: Held): Why {
  const unblock = by.isLanding
    ? `that landing is done with it; \`coppice why ${by.task}\` says how far it is`
    : "nothing: it goes on by itself"
  return { waitingFor: heldReason({ worktree, ...by }), sinceMs, unblock, paths: [] }
}

/** The wait of a turn, as the end of a sentence. */
export function heldReason({ worktree, task, isLanding }: Omit<Held, "sinceMs">): string {
  const what = isLanding ? "the landing" : "the clean-up"
  return `its worktree (${worktree}), which ${what} of task ${task} has`
}

/** Describes the other task, as the end of a sentence. */
export const busyReason = ({ what }: Busy): string => `which works on ${what}`

/** How the wait for it ends. */
export const whenFree = ({ task }: Busy): string =>
  `that task is complete; \`coppice show ${task}\` shows it, \`coppice cancel ${task}\` gives it up`
