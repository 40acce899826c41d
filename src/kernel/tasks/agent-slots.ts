/** Chooses the due tasks that may begin, by the bounds on agents that work at the same time. */

import type { TaskId } from "../../base/ids.ts"
import { isWork } from "../process/process-purpose.ts"
import { listProcesses } from "../store/processes.ts"
import { readEach } from "../store/read-each.ts"
import type { Bound } from "../waits/rules/why-asked.ts"
import type { JobsContext } from "./context.ts"
import { findTask } from "./rows/find.ts"
import type { Task } from "./rows/row.ts"
import { dutyOf } from "./rules/duty.ts"

type Context = Pick<JobsContext, "db" | "limits" | "findAgent">

export class Slots {
  readonly #bounds = new Map<TaskId, readonly Bound[]>()

  /** The bounds that kept a due task from its slot when the loop last looked; none if it had one. */
  findBounds(id: TaskId): readonly Bound[] {
    return this.#bounds.get(id) ?? []
  }

  /**
   * @param due most urgent first.
   * @param driven those that are working already.
   */
  choose(context: Context, due: readonly TaskId[], driven: ReadonlySet<TaskId>): TaskId[] {
    const { limits, findAgent } = context
    const startable = startableIn(context)
    const nameNow = (task: Task) => findAgent(task)?.name ?? task.agent ?? ""
    const working = [...driven].flatMap(startable)
    const boundsOf = (task: Task): Bound[] => {
      const name = nameNow(task)
      const ofAgent = working.filter((one) => nameNow(one) === name)
      const max = findAgent(task)?.concurrentMax ?? Number.POSITIVE_INFINITY
      const all = [
        { key: `agents.${name}.max_concurrent`, max, tasks: ofAgent.map(({ id }) => id) },
        { key: "limits.concurrent", max: limits().concurrent, tasks: working.map(({ id }) => id) },
      ]
      return all.filter(({ max, tasks }) => tasks.length >= max)
    }
    this.#bounds.clear()
    return due.filter((id) =>
      startable(id).some((task) => {
        const bounds = boundsOf(task)
        if (bounds.length > 0) this.#bounds.set(id, bounds)
        else working.push(task)
        return bounds.length === 0
      }),
    )
  }
}

/** @returns a function from an id to its task, or to nothing if it takes no slot. */
function startableIn({ db }: Pick<Context, "db">): (id: TaskId) => Task[] {
  const atWork = listProcesses(db).filter(({ purpose }) => isWork(purpose))
  const withAgent = new Set(atWork.map(({ task }) => task))
  return (id) => {
    const [task] = readEach([{ id }], () => findTask(db, id)) // an unreadable task begins nothing
    if (!task?.agent) return []
    const duty = dutyOf(task)
    // While a task waits, it takes no slot without a process.
    const rests = duty === "wait" && !withAgent.has(id)
    return rests || duty === "clean" || duty === "delete" ? [] : [task]
  }
}
