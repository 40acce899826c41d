/** A task's state as a sign, a colour and a word, and its place in a list. */
import type { TaskState } from "../../core/task.ts"
import type { TaskDocument, TaskLinesDocument } from "../../core/wire.ts"
import type { Output, Style } from "../output.ts"
import { gist, oneLine } from "./text.ts"

// biome-ignore format: a table reads best as one
const LOOKS: Readonly<Record<TaskState, readonly [sign: string, style: Style]>> = {
  registered:          ["○", "dim"],
  planning:            ["●", "cyan"],
  planning_complete:   ["?", "yellow"],
  working:             ["●", "cyan"],
  shipping:            ["●", "cyan"],
  reviews_in_progress: ["●", "cyan"],
  pr_ready:            ["?", "yellow"],
  in_approval:         ["?", "yellow"],
  merging:             ["◆", "cyan"],
  merge_failed:        ["✗", "red"],
  stuck:               ["✗", "red"],
  paused:              ["‖", "dim"],
  complete:            ["✓", "green"],
  cancelled:           ["–", "dim"],
}

export function signedState(output: Output, state: string): string {
  const [sign, style] = LOOKS[state as TaskState]
  return output.paint(style, `${sign} ${state}`)
}

type Line = TaskLinesDocument["tasks"][number]
type Reasoned = Pick<Line, "reason" | "landing" | "state">

/** Why the task is where it is, in a few words; empty when there is nothing to say. */
export function reasonOf({ reason, landing, state }: Reasoned): string {
  if (reason) return gist(reason.text) || reason.code
  if (state !== "merging" || !landing) return ""
  const said = landing.state === "waiting" ? gist(landing.reason ?? "") : ""
  return [landing.state, landing.outcome, said].filter(Boolean).join(": ")
}

/** How its deletion stands, in a few words; empty where there is none. */
export function deletionWords({ deletion }: Pick<Line, "deletion">): string {
  if (deletion === null) return ""
  const why = deletion.reason === null ? "" : `: ${gist(deletion.reason)}`
  return `is being deleted${why && `, tried again in a few seconds${why}`}`
}

/** What an action has left a task in, in one line. */
export function taskState(output: Output, task: TaskDocument): string {
  const reason = reasonOf(task)
  const state = `${signedState(output, task.state)}${reason && `: ${reason}`}`
  return `Task ${task.id} (${oneLine(task.title)}): ${state}`
}

/** In which part of a list a task stands: what needs a person first, what is over last. */
const GROUPS = ["needs you", "running", "landing", "waiting", "done"] as const
type Group = (typeof GROUPS)[number]

// biome-ignore format: a table reads best as one
const GROUP_OF: Readonly<Record<TaskState, Group>> = {
  registered: "waiting", planning: "running", planning_complete: "needs you", working: "running",
  shipping: "running", reviews_in_progress: "waiting", pr_ready: "waiting",
  in_approval: "needs you", merging: "landing", merge_failed: "needs you", stuck: "needs you",
  paused: "waiting", complete: "done", cancelled: "done",
}

/** Why a task whose agent is to work does not: it is not running. */
const WAITS: readonly string[] = ["postponed", "busy"]

type Placed = Pick<Line, "state" | "attention" | "reason"> & {
  readonly landing: Pick<NonNullable<Line["landing"]>, "state"> | null
}

/** @param task whose `attention` a question of its agent may want in any state. */
function groupOf({ state, attention, reason, landing }: Placed): Group {
  if (attention) return GROUPS[0]
  if (state === "merging" && landing?.state === "waiting") return "waiting"
  const group = GROUP_OF[state as TaskState]
  return group === "running" && reason && WAITS.includes(reason.code) ? "waiting" : group
}

/** The tasks of each group that has any, in the order of the groups; each in the order given. */
export function grouped<Task extends Placed>(
  tasks: readonly Task[],
): readonly { readonly group: Group; readonly tasks: readonly Task[] }[] {
  const byGroup = Map.groupBy(tasks, groupOf)
  return GROUPS.flatMap((group) => {
    const found = byGroup.get(group)
    return found ? [{ group, tasks: found }] : []
  })
}
