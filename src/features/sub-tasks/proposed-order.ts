/** The order of a proposed task: the tasks, and other proposals, that it lands after or starts from. */
import type { TaskId } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findRequestedTask } from "../../kernel/tasks/rows/add.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findQuestion } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { ACCEPT } from "../../kernel/tasks/rules/question.ts"

type After = { readonly tasks: readonly TaskId[]; readonly proposals: readonly number[] }

/**
 * The tasks that these references mean, and the proposals that a person has not accepted yet. Declined
 * ones are left out.
 *
 * @throws {DaemonError} `task.not_found` (user).
 */
export function findAfter(
  { db }: Pick<FleetRows, "db">,
  { id }: Task,
  refs: readonly string[],
): After {
  const tasks: TaskId[] = []
  const proposals: number[] = []
  for (const ref of refs) {
    const [kind, number] = ref.includes(":") ? ref.split(":") : ["task", ref]
    const question = kind === "proposal" ? findQuestion(db, Number(number)) : undefined
    if (kind === "task") tasks.push(known(db, ref))
    else if (question?.task !== id) throw unknown(ref)
    else if (question.answer === null) proposals.push(question.id)
    else if (question.answer === ACCEPT) tasks.push(...acceptedAs(db, question.id))
  }
  return { tasks, proposals }
}

/**
 * The same for the task whose work it starts from: one task, one open proposal, or neither without `ref`.
 *
 * @throws {DaemonError} `task.not_found` (user), also if a person has declined it.
 */
export function findOn(fleet: Pick<FleetRows, "db">, task: Task, ref: string | undefined): After {
  const found = findAfter(fleet, task, ref === undefined ? [] : [ref])
  if (ref !== undefined && found.tasks.length + found.proposals.length === 0)
    throw new DaemonError(
      "task.not_found",
      `There is no work of ${ref}: it was declined or deleted.`,
      ["Propose the task again, without `on`."],
    )
  return found
}

function known(db: FleetRows["db"], ref: string): TaskId {
  const found = findTask(db, Number(ref) as TaskId)
  if (!found) throw unknown(ref)
  return found.id
}

const unknown = (ref: string) =>
  new DaemonError("task.not_found", `There is no task or proposal of yours \`${ref}\`.`, [
    "`propose_task` answers with the id of each.",
  ])

/** The key of the request by which an accepted proposal becomes a task, once. */
export const keyOfProposal = (id: number): string => `proposal:${id}`

function acceptedAs(db: FleetRows["db"], proposal: number): TaskId[] {
  const task = findRequestedTask(db, keyOfProposal(proposal))
  return task ? [task.id] : [] // a person deleted it
}
