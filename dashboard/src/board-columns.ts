/** The columns of the board: the tasks that need a person, then the others in groups. */
import { asTree, grouped } from "../../src/api/wire/task-groups.ts"
import type { Line } from "./words.ts"

const TITLES = {
  "needs you": "Needs you",
  running: "Working",
  landing: "Landing",
  waiting: "Waiting",
  done: "Done",
} as const
const STATES = ["needs you", "running", "landing", "waiting", "done"] as const
export const GROUPINGS = ["state", "agent", "repository"] as const
export type Grouping = (typeof GROUPINGS)[number]

export type Placed = { readonly task: Line; readonly depth: number }
export type Column = {
  /** A CSS class; may be empty. */
  readonly name: string
  readonly title: string
  readonly tasks: readonly Placed[]
}

/** The tasks that need a person, then the others by state, agent or repository. */
export function columnsOf(found: readonly Line[], by: Grouping): Column[] {
  const groups = new Map(
    grouped(found).map(({ group, tasks }) => [group, asTree(tasks.toReversed())]),
  )
  const [needing, ...others] = STATES.map((state) => ({
    name: state.replace(" ", "-"),
    title: TITLES[state],
    tasks: groups.get(state) ?? [],
  }))
  if (by === "state") return [needing!, ...others]
  const named = Map.groupBy(
    others.flatMap(({ tasks }) => tasks),
    ({ task }) => (by === "agent" ? (task.agent ?? "by hand") : task.repos.join(", ")),
  )
  const columns = [...named].map(([title, tasks]) => ({ name: "", title, tasks }))
  return [needing!, ...columns.sort((one, other) => one.title.localeCompare(other.title))]
}

/** Leaves out the done tasks after the first `doneMax`. */
export function withoutEarlier(tasks: readonly Placed[], doneMax: number): readonly Placed[] {
  const done = tasks.filter(({ task }) => /^(complete|cancelled)$/.test(task.state))
  const earlier = new Set(done.slice(doneMax))
  return tasks.filter((one) => !earlier.has(one))
}
