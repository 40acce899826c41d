/** The gates of a task, and what it runs on: worktrees, ports, processes. */
import type { Oid } from "../../base/ids.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findGateOutput } from "../../kernel/landing/rows/gate-results.ts"
import { measureFolder } from "../../kernel/process/disk.ts"
import { listLatestEvents } from "../../kernel/store/events.ts"
import { listProcesses } from "../../kernel/store/processes.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { TaskFactsDocument } from "../wire/work.ts"
import { iso } from "./row-documents.ts"
import { taskPorts } from "./task-ports.ts"

/** A task rarely has more. */
const GATES_MAX = 20

/** @param isMeasured with the sizes of its worktrees, which takes seconds where one is large. */
export async function taskFacts(
  fleet: FleetRows,
  task: Task,
  isMeasured: boolean,
): Promise<TaskFactsDocument> {
  const worktrees = task.repos.flatMap(({ name, worktree }) =>
    worktree === null ? [] : [{ repo: name, path: worktree }],
  )
  const measured = worktrees.map(async (one) => {
    return { ...one, bytes: (isMeasured && (await measureFolder(one.path))) || null }
  })
  return {
    gates: listGates(fleet, task),
    worktrees: await Promise.all(measured),
    ports: await taskPorts(fleet, task),
    processes: listProcesses(fleet.db)
      .filter((one) => one.task === task.id)
      .map(({ pid, purpose }) => ({ pid, purpose })),
  }
}

/** The latest, newest first. */
export function listGates({ db }: FleetRows, { id }: Pick<Task, "id">): TaskFactsDocument["gates"] {
  const events = listLatestEvents(db, "gate.finished", { task: id, limit: GATES_MAX })
  return events.map(({ atMs, data }) => {
    const { tree, name: repo = null, ownChange = null, ...gate } = data as GateFinished
    const { command, exitCode, durationMs, onTarget } = gate
    const output = findGateOutput(db, { tree, command, exitCode }) ?? null
    return { at: iso(atMs), repo, command, exitCode, durationMs, ownChange, onTarget, output }
  })
}

/** Whether the gate let the work land. */
export const isGreenGate = (gate: TaskFactsDocument["gates"][number]): boolean =>
  gate.exitCode === 0 && gate.ownChange === null

/** The data of the event, as kernel/landing/gate/run-gate.ts writes it. */
type GateFinished = {
  readonly command: string
  readonly tree: Oid
  readonly onTarget: boolean
  readonly name?: string
  readonly exitCode: number
  readonly durationMs: number
  readonly ownChange?: string
}
