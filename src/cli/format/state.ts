/** A task's state as a sign, a colour and a word. */
import type { TaskState } from "../../core/task.ts"
import type { TaskDocument, TaskLinesDocument } from "../../core/wire.ts"
import type { Output, Style } from "../output.ts"
import { oneLine } from "./text.ts"

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

/** Why the task is where it is, in a few words; empty when there is nothing to say. */
export function reasonOf({ reason, landing, state }: TaskLinesDocument["tasks"][number]): string {
  if (reason) return oneLine(reason.text) || reason.code
  if (state !== "merging" || !landing) return ""
  return landing.outcome ? `${landing.state}: ${landing.outcome}` : landing.state
}

/** What an action has left a task in, in one line. */
export function taskState(output: Output, task: TaskDocument): string {
  const reason = reasonOf(task)
  const state = `${signedState(output, task.state)}${reason && `: ${reason}`}`
  return `Task ${task.id} (${oneLine(task.title)}): ${state}`
}
