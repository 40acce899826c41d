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
  const agentOf = (id: TaskId) => {
    const [task] = readEach([{ id }], () => findTask(db, id)) // an unreadable task begins nothing
    if (!task?.agent) return []
    const duty = dutyOf(task)
    // While a task waits, it takes no slot without a process.
    const rests = duty === "wait" && !withAgent.has(id)
    return rests || duty === "clean" || duty === "delete" ? [] : [task.agent]
  }
  const { concurrent: workingMax } = limits()
  const working = [...driven].flatMap(agentOf)
  return due.filter((id) =>
    agentOf(id).some((agent) => {
      const ofThisName = working.filter((other) => other === agent).length
      const ofThisNameMax = findAgent(agent)?.concurrentMax ?? workingMax
      const begins = working.length < workingMax && ofThisName < ofThisNameMax
      if (begins) working.push(agent)
      return begins
    }),
  )
}
