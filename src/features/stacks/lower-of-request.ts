/** Finds the task that a new one starts from (`--on`, `--fork`). */

import type { NewTask } from "../../api/wire/requests.ts"
import type { AgentConfig } from "../../config/config.ts"
import { abilitiesOf } from "../../config/runtimes.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"

/** The task whose work the new one starts from. */
export function lowerOf(fleet: FleetRows, { on, fork, from }: NewTask): Task | undefined {
  if (fork !== undefined && (on !== undefined || from !== undefined)) {
    const hint = "Leave out `--on` and `--from`: `--fork` starts from the work of its task, too."
    throw new DaemonError("start.refused", "A task starts from one place.", [hint])
  }
  const ref = on ?? fork
  return ref === undefined ? undefined : findTaskByRef(fleet, ref)
}

/** A copy of a conversation belongs to the same agent, unless the request names one. */
export function withAgentOf(lower: Task | undefined, request: NewTask): NewTask {
  const { fork, agent, with: words } = request
  if (fork === undefined || agent !== undefined || words || !lower?.agent) return request
  return { ...request, agent: lower.agent }
}

/** @throws {DaemonError} `start.refused` (user) */
export function refuseFork({ fork }: NewTask, { name, runtime }: AgentConfig): void {
  if (fork === undefined || abilitiesOf(runtime).fork !== "no") return
  const message = `The agent ${name} has \`runtime: ${runtime}\`, which has no conversations to copy.`
  const hint = "`--on <task>` starts from the work of the task alone."
  throw new DaemonError("start.refused", message, [hint])
}
