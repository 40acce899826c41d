/** The groups of a list of tasks: the same on a terminal and in the dashboard. */
import { isLanding } from "./landing-states.ts"
import type { TaskState } from "./task.ts"
import type { TaskLinesDocument } from "./wire/tasks.ts"

type Line = TaskLinesDocument["tasks"][number]

/** Parts of the task list: tasks that need a person first, finished ones last. */
const GROUPS = ["needs you", "running", "landing", "waiting", "done"] as const
type Group = (typeof GROUPS)[number]

// biome-ignore format: a table reads best as one
const GROUP_OF: Readonly<Record<TaskState, Group>> = {
  registered: "waiting", planning: "running", planning_complete: "needs you", working: "running",
  shipping: "running", reviews_in_progress: "waiting", pr_ready: "waiting",
  in_approval: "needs you", merging: "landing", merge_failed: "needs you", stuck: "needs you",
  paused: "waiting", complete: "done", cancelled: "done",
}

/** Reasons why the agent of a working task does not run now. */
const WAITS: readonly string[] = ["postponed", "busy", "sub_tasks", "ended"]

type Placed = Pick<Line, "state" | "attention" | "reason" | "agent"> & {
  readonly landing: Pick<NonNullable<Line["landing"]>, "state"> | null
}

/** A person works in its worktree, and lands it. */
const isByHand = ({ state, agent }: Pick<Line, "state" | "agent">): boolean =>
  agent === null && state === "working"

/** @param task needs attention in any state while its agent has a question. */
function groupOf({ state, attention, reason, agent, landing }: Placed): Group {
  if (attention) return GROUPS[0]
  if (isByHand({ state, agent })) return "waiting"
  if (isLanding(state) && landing?.state === "waiting") return "waiting"
  const group = GROUP_OF[state as TaskState]
  return group === "running" && reason && WAITS.includes(reason.code) ? "waiting" : group
}

/** The non-empty groups in order, each with its tasks in the given order. */
export function grouped<Task extends Placed>(
  tasks: readonly Task[],
): readonly { readonly group: Group; readonly tasks: readonly Task[] }[] {
  const byGroup = Map.groupBy(tasks, groupOf)
  return GROUPS.flatMap((group) => {
    const found = byGroup.get(group)
    return found ? [{ group, tasks: found }] : []
  })
}
