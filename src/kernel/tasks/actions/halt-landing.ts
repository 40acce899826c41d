/** Takes a task's work out of its queue, where it is: pauses or deletes the task. */

import type { Deletion } from "../../../api/wire/requests.ts"
import { listUpper } from "../../../features/stacks/rows.ts"
import { listBelow } from "../../../features/sub-tasks/rows/family.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { isCancellable } from "../../landing/cancellable.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { isLanding } from "../../landing/rules/landing-states.ts"
import type { Db } from "../../store/open.ts"
import { transaction } from "../../store/sql.ts"
import type { Attachments } from "../rows/attached.ts"
import { requestDeletion } from "../rows/deletion.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { findTask } from "../rows/find.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { possibleActions } from "../rules/transitions.ts"
import { refuseAttached } from "./refuse-in-use.ts"

const OVER: readonly Landing["state"][] = ["landed", "cancelled", "failed", "handed_back", "paused"]

/** No action runs in these states, or one that only looks. */
const AT_ONCE: readonly Landing["state"][] = ["queued", "waiting", "proposed"]

/**
 * At once while it only waits; otherwise the landing loop first stops the running action.
 *
 * @param verb completes the sentence `it is too late to <verb>`. @param isKept its worktree stays.
 * @throws {DaemonError} `task.refused` (user) when its target may have moved already.
 */
function haltLanding(
  { db, world }: FleetRows,
  task: Task,
  { verb, isKept }: { readonly verb: "pause it" | "delete it"; readonly isKept: boolean },
): void {
  const landing = findLandingOfTask(db, task.id)
  refuseTooLate(landing, task, verb)
  if (!landing || OVER.includes(landing.state)) return
  if (!AT_ONCE.includes(landing.state)) return
  const nothing = { outcome: null, reason: null, details: null, wakeAtMs: null }
  // A worktree that waits at its candidate is put back first if it stays.
  const isMoved = landing.state === "waiting" && landing.repos.some(({ candidate }) => candidate)
  const event = isMoved && isKept ? "woken" : "paused"
  recordLanding(db, landing, { event, ...nothing }, world.nowMs())
}

function refuseTooLate(landing: Landing | undefined, task: Task, verb: string): void {
  if (landing && !OVER.includes(landing.state) && !isCancellable(landing)) throw tooLate(task, verb)
}

/** A published landing is on its target and runs to its end. */
function tooLate({ id }: Pick<Task, "id">, verb: string): DaemonError {
  const message = `Task ${id} is being landed; it is too late to ${verb}.`
  return new DaemonError("task.refused", message, [`\`coppice show ${id}\` shows how it ends.`])
}

/**
 * The loops see the new state and end the running processes; the open turn stays open. A merging
 * task leaves the queue. Pausing a paused task changes nothing.
 *
 * @throws {TransitionRefused} (user) when the task's state does not allow it.
 * @throws {DaemonError} `task.refused` (user) when it is being published.
 */
export function pause({ db, world }: FleetRows, task: Task): void {
  if (task.state === "paused") return
  if (isLanding(task.state)) refuseTooLate(findLandingOfTask(db, task.id), task, "pause it")
  if (!possibleActions(task).includes("pause")) throw new TransitionRefused(db, task, "paused")
  transaction(db, () => {
    if (isLanding(task.state)) haltLanding({ db, world }, task, { verb: "pause it", isKept: true })
    recordTask(db, task, { event: "paused" }, world.nowMs())
  })
}

/**
 * Records the request. The loops see it, end the running processes and carry it out
 * (kernel/tasks/delete-task.ts). After a failure the task goes on as before, and a person may ask again.
 *
 * @throws {DaemonError} `task.refused` (user) when it is being published, or a person is attached.
 */
export function remove(
  { db, world, findAttached }: FleetRows & Attachments,
  task: Task,
  how: Deletion = {},
): void {
  refuseAttached({ findAttached }, task, "deleted")
  refuseLivingSubTasks({ db, world }, task)
  refuseLivingUpper(db, task)
  const isKept = how.keepWorktree === true
  transaction(db, () => {
    haltLanding({ db, world }, task, { verb: "delete it", isKept })
    requestDeletion(db, task, isKept ? "keep" : "remove", world.nowMs())
  })
}

/** Otherwise its sub-tasks would have no parent to report to. */
function refuseLivingSubTasks({ db }: FleetRows, { id }: Task): void {
  const living = listBelow(db, id).filter((below) => {
    const { state, deletion } = findTask(db, below) ?? { state: "complete", deletion: null }
    return deletion === null && state !== "complete" && state !== "cancelled"
  })
  if (living.length === 0) return
  const which = living.length === 1 ? "a sub-task" : "sub-tasks"
  throw new DaemonError(
    "task.refused",
    `Task ${id} has ${which} under way: ${living.join(", ")}.`,
    [
      `\`coppice cancel ${id} --tree\` cancels all of them; or wait until they end. Then delete it.`,
    ],
  )
}

/** Otherwise a pull request on its work would lose that work without a person's decision. */
function refuseLivingUpper(db: Db, { id, state, reason }: Task): void {
  if (state === "complete" && reason?.code !== "not_pushed") return
  const living = listUpper(db, id).filter((upper) => {
    const other = findTask(db, upper)
    if (!other || other.deletion !== null || isOver(other)) return false
    return other.land === "pr" || other.state === "registered"
  })
  if (living.length === 0) return
  throw new DaemonError(
    "task.refused",
    `Task ${id} has work that another task starts from: ${living.join(", ")}.`,
    [
      `Cancel that one first. Or cancel task ${id}; then \`coppice land ${living[0]}\` lands the other without that work.`,
    ],
  )
}

const isOver = ({ state }: Pick<Task, "state">) => state === "complete" || state === "cancelled"
