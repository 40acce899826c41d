/**
 * Creates the task that an agent proposed: a sub-task of its own.
 *
 * A sub-task has at most the rights of its parent: the same agent or program, with its containment,
 * permissions and model, or an agent that the parent may choose. Repositories, targets, plan mode and way of
 * landing are the parent's. The proposal has only words, an order and the name of such an agent.
 */

import type { NewTask } from "../../api/wire/requests.ts"
import type { TaskId } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { type Creator, createTask } from "../../kernel/tasks/actions/create-task.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listPullRequests } from "../pull-requests/rows.ts"
import { chooseAgent } from "./choose-agent.ts"
import { subTaskPrompt } from "./prompts.ts"
import { waitsFor } from "./rows/family.ts"

export type SubTask = {
  readonly title: string
  readonly prompt: string
  readonly after: readonly TaskId[]
  /** The task whose work it starts from. */
  readonly on: TaskId | undefined
  /** In place of the parent's. */
  readonly agent?: string | undefined
  /** The parent waits for its end. */
  readonly report: boolean
}

type Creating = NonNullable<Parameters<typeof createTask>[2]>

/** @throws {DaemonError} `task.refused`, `task.cycle` (user), and those of `createTask`. */
export async function createSubTask(
  fleet: Creator,
  parent: Task,
  { title, prompt, after, on, agent, report }: SubTask,
  { records = () => {}, key }: Pick<Creating, "records" | "key"> = {},
): Promise<Task> {
  const reports = report && canWait(parent)
  const chosen = chooseAgent(fleet.checkedConfig(), parent, agent)
  const request = {
    ...(chosen ? { agent: chosen.name } : workerOf(parent)),
    title,
    prompt: subTaskPrompt({ prompt, parent: parent.id }),
    land: parent.land,
    plan: parent.planMode,
    priority: parent.priority,
    repos: parent.repos.map(({ name }) => name),
    after: after.map(String),
    ...(on !== undefined && { on: String(on) }),
  }
  const { task } = await createTask(fleet, request, {
    key,
    parent: { parent: parent.id, reports },
    records: (made) => {
      refuseOtherPlaces(fleet, parent, made)
      if (reports) refuseCycle(fleet, parent, on === undefined ? after : [on, ...after])
      records(made)
    },
  })
  return task
}

/** A task in a static folder keeps that folder until it ends, so it cannot wait for others in it. */
export const canWait = ({ strategy }: Task): boolean => strategy !== "static"

/** The parent's agent, or the program that a person typed for the parent. */
function workerOf({ agent, program, model }: Task): Partial<NewTask> {
  const chosen = model === null ? {} : { model }
  const words = program?.runtime === "command" ? program.command : undefined
  if (!Array.isArray(words)) return { ...chosen, ...(agent !== null && { agent }) }
  const resume = program?.resume as NewTask["resume"]
  return { ...chosen, with: words as NewTask["with"], ...(resume && { resume }) }
}

/** Since its parent began, the configuration may have changed, and its agent may have set another remote. */
function refuseOtherPlaces({ db }: Creator, parent: Task, made: Task): void {
  const pullAddresses = ({ id }: Task) =>
    new Map(listPullRequests(db, id).map(({ name, address }) => [name, address]))
  const [own, other] = [pullAddresses(parent), pullAddresses(made)]
  for (const { name, path, target, address } of made.repos) {
    const repo = parent.repos.find((one) => one.name === name)
    const isSamePlace = repo?.path === path && repo.target === target
    if (isSamePlace && repo.address === address && own.get(name) === other.get(name)) continue
    throw new DaemonError(
      "task.refused",
      `A sub-task works where its parent does, and the target or the remote of ${name} has changed since task ${parent.id} began.`,
      ["Create the task with `coppice run`, or change that back."],
    )
  }
}

function refuseCycle({ db }: Creator, parent: Task, after: readonly TaskId[]): void {
  const blocked = after.find((id) => waitsFor(db, id, parent.id))
  if (blocked === undefined) return
  const circle =
    blocked === parent.id
      ? `Task ${parent.id} would wait for a sub-task that lands after it.`
      : `Task ${parent.id} would wait for a sub-task that lands after task ${blocked}, which waits for task ${parent.id}.`
  throw new DaemonError("task.cycle", circle, [
    "Propose it without a report, or after other tasks.",
  ])
}
