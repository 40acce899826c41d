/**
 * An item of a source that this home has claimed: its states, its work item and its result. Pure.
 *
 *   claiming → working → reporting → ended
 *
 * The row exists before the claim does, so a crash in between repeats the same claim.
 */
import type { TaskState } from "../../../kernel/tasks/rules.ts"

/** `ended`: reported; the row stays while the item must not be taken again. */
export type ItemState = "claiming" | "working" | "reporting" | "ended"

export type ItemResult = {
  /** `released`: no task works on it any more, so others may. */
  readonly kind: "done" | "released"
  /** For the people of the tracker, who may be strangers: no word of an agent. */
  readonly text: string
}

/** A task's identity in the tracker, as in `gh-17`: sources have names of their own in a home. */
export const workItemOf = (source: string, item: string): string => `${source}-${item}`

/** A longer id would not fit into the name of a branch. */
const ID_CHARS_MAX = 120

/** Names that are no path and no option: ids come from outside. */
export const isItemId = (id: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{N} ._-]*$/u.test(id) && id.length <= ID_CHARS_MAX

type Facts = {
  readonly state: TaskState
  readonly repos: readonly {
    readonly name: string
    readonly target: string
    readonly branch: string | null
    readonly mergeTip: string | null
  }[]
}

/** Whether a task that has stopped keeps its item. */
export type OnFailure = "hold" | "release"

/**
 * The result of a task; undefined while it may still work.
 *
 * @param task undefined: it was deleted.
 * @param onFailure with `release`, a stop is a result: other fleets may have the item.
 */
export function resultOf(
  task: Facts | undefined,
  onFailure: OnFailure = "hold",
): ItemResult | undefined {
  if (!task) return { kind: "released", text: "Coppice gave this up: its task was deleted." }
  if (task.state === "cancelled")
    return { kind: "released", text: "Coppice gave this up: a person cancelled its task." }
  if (hasStopped(task.state) && onFailure === "release")
    return { kind: "released", text: "Coppice gave this up: its task has stopped." }
  if (task.state !== "complete") return undefined
  const landed = task.repos.filter(({ mergeTip }) => mergeTip !== null)
  const lines = landed.map(({ name, target, mergeTip }) => {
    const where = task.repos.length > 1 ? `\`${target}\` of ${name}` : `\`${target}\``
    return `${mergeTip?.slice(0, SHOWN_DIGITS)} on ${where}`
  })
  if (lines.length > 0)
    return { kind: "done", text: `Coppice has landed this: ${lines.join(", ")}.` }
  const kept = task.repos.flatMap(({ branch }) => (branch === null ? [] : [`\`${branch}\``]))
  const text =
    kept.length > 0
      ? `Coppice has finished this. The work is on ${kept.join(", ")}, and has not landed.`
      : "Coppice has finished this. Nothing had to be changed."
  return { kind: "done", text }
}

/** A person must look at the task, which keeps its item. No word of an agent. */
export const STOP_NOTE =
  "Coppice has stopped on this: its task needs a person. The issue stays taken, and the work goes on from there."

/** Whether only a person can move the task on, because it failed. */
export const hasStopped = (state: TaskState): boolean =>
  state === "stuck" || state === "merge_failed"

const SHOWN_DIGITS = 12
