/** Chooses which due tasks may begin, by the limit of all agents and of each agent. */
import { dutyOf } from "../core/duty.ts"
import type { TaskId } from "../core/ids.ts"
import { listProcesses } from "../store/processes.ts"
import { readEach } from "../store/readable.ts"
import { findTask } from "../store/tasks/find.ts"
import type { JobsContext } from "./context.ts"

/**
 * @param due most urgent first.
 * @param driven those that are working already.
 */
export function withinLimits(
  { db, limits, findAgent }: Pick<JobsContext, "db" | "limits" | "findAgent">,
  due: readonly TaskId[],
  driven: ReadonlySet<TaskId>,
): TaskId[] {
  const withAgent = new Set(listProcesses(db).map(({ task }) => task))
  const startable = (id: TaskId) => {
    const [task] = readEach([{ id }], () => findTask(db, id)) // an unreadable task begins nothing
    if (!task?.agent) return []
    const duty = dutyOf(task)
    // While a task waits, it takes no slot without a process.
    const rests = duty === "wait" && !withAgent.has(id)
    return rests || duty === "clean" || duty === "delete" ? [] : [task]
  }
  const { concurrent: workingMax } = limits()
  const working = [...driven].flatMap(startable)
  return due.filter((id) =>
    startable(id).some((task) => {
      const ofThisName = working.filter(({ agent }) => agent === task.agent).length
      const ofThisNameMax = findAgent(task)?.concurrentMax ?? workingMax
      const begins = working.length < workingMax && ofThisName < ofThisNameMax
      if (begins) working.push(task)
      return begins
    }),
  )
}
