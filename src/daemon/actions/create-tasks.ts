/**
 * Creates the tasks of a plan, all or none.
 *
 * Every task is prepared first, and one transaction adds them all. So a mistake in the last one, or a
 * daemon that dies, leaves no part of a plan.
 */
import type { NewTasks } from "../../core/wire/requests.ts"
import { transaction } from "../../store/sql.ts"
import type { Task } from "../../store/tasks/row.ts"
import { addPrepared, type Creator, prepareTask } from "./create-task.ts"

/** @param key of the request; the tasks that it has already created are returned. */
export async function createTasks(
  fleet: Creator,
  { tasks }: NewTasks,
  key: string | undefined,
): Promise<Task[]> {
  const prepared: Awaited<ReturnType<typeof prepareTask>>[] = []
  for (const [at, { follows: _, ...request }] of tasks.entries())
    prepared.push(await prepareTask(fleet, request, { key: key && `${key}:${at}` }))
  return transaction(fleet.db, () => {
    const made: Task[] = []
    for (const [at, { follows }] of tasks.entries()) {
      const earlier = follows.map((other) => made[other]!.id)
      made.push(addPrepared(fleet, prepared[at]!, earlier))
    }
    return made
  })
}
