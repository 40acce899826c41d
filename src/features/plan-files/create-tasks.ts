/**
 * The creation of several tasks at once, of a plan file or of alternatives: all or none.
 *
 * Every task is prepared first, and one transaction adds them all. So a mistake in the last one, or a
 * daemon that dies, leaves only some of them.
 */
import type { NewTasks } from "../../api/wire/requests.ts"
import { transaction } from "../../kernel/store/sql.ts"
import {
  addPrepared,
  type Creator,
  type PreparedTask,
  prepareTask,
} from "../../kernel/tasks/actions/create-task.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { addAlternatives } from "../alternatives/rows.ts"
import type { Lower } from "../stacks/refuse-lower.ts"

/** @param key of the request; the tasks that it has already created are returned. */
export async function createTasks(
  fleet: Creator,
  { tasks, pick = false, files }: NewTasks,
  key: string | undefined,
): Promise<Task[]> {
  const prepared: PreparedTask[] = []
  for (const [at, { follows: _, stacksOn, ...request }] of tasks.entries()) {
    const lower = stacksOn === undefined ? undefined : lowerOf(prepared[stacksOn]!)
    const asked = { ...request, ...(pick && { land: "approve" as const }), ...(files && { files }) }
    prepared.push(await prepareTask(fleet, asked, { key: key && `${key}:${at}`, lower }))
  }
  return transaction(fleet.db, () => {
    const made: Task[] = []
    for (const [at, { follows, stacksOn }] of tasks.entries()) {
      const after = follows.map((other) => made[other]!.id)
      const on = stacksOn === undefined ? undefined : made[stacksOn]!.id
      made.push(addPrepared(fleet, prepared[at]!, { after, on }))
    }
    if (pick)
      addAlternatives(
        fleet.db,
        made.map(({ id }) => id),
      )
    return made
  })
}

/** A task of the same request, which has no number yet. */
const lowerOf = ({ task: { title, land, strategy = null, repos } }: PreparedTask): Lower => ({
  id: JSON.stringify(title),
  state: "registered",
  land,
  strategy,
  repos,
})
