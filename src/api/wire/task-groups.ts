/** The groups of a list of tasks: the same on a terminal and in the dashboard. */
import { isLanding } from "../../kernel/landing/rules/landing-states.ts"
import type { TaskState } from "../../kernel/tasks/rules.ts"
import type { TaskLinesDocument } from "./tasks.ts"

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

type Placed = Pick<Line, "state" | "attention" | "reason" | "agent"> &
  Partial<Pick<Line, "id" | "parent">> & {
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

/**
 * The non-empty groups in order, each with its tasks in the given order.
 *
 * A task and its sub-tasks are in one group, the first that one of them belongs to.
 */
export function grouped<Task extends Placed>(
  tasks: readonly Task[],
): readonly { readonly group: Group; readonly tasks: readonly Task[] }[] {
  const rootOf = rootsOf(tasks)
  const first = new Map<Task, number>()
  for (const task of tasks) {
    const root = rootOf(task)
    const own = GROUPS.indexOf(groupOf(task))
    first.set(root, Math.min(own, first.get(root) ?? own))
  }
  const byGroup = Map.groupBy(tasks, (task) => GROUPS[first.get(rootOf(task)) ?? 0])
  return GROUPS.flatMap((group) => {
    const found = byGroup.get(group)
    return found ? [{ group, tasks: found }] : []
  })
}

/** The highest task of each tree, among those given. */
function rootsOf<Task extends Placed>(tasks: readonly Task[]): (task: Task) => Task {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const rootOf = (task: Task): Task => {
    const parent = task.parent == null ? undefined : byId.get(task.parent)
    return parent ? rootOf(parent) : task
  }
  return rootOf
}

/** Puts each task below its parent, if that is one of them; the order is kept otherwise. */
export function asTree<Task extends Pick<Line, "id" | "parent">>(
  tasks: readonly Task[],
): readonly { readonly task: Task; readonly depth: number }[] {
  const known = new Set(tasks.map(({ id }) => id))
  const byParent = Map.groupBy(tasks, ({ parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  )
  const below = (parent: string | null, depth: number): { task: Task; depth: number }[] =>
    (byParent.get(parent) ?? []).flatMap((task) => [{ task, depth }, ...below(task.id, depth + 1)])
  return below(null, 0)
}
