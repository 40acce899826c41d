/** Chooses which due tasks may begin, by the limit of all agents and of each agent. */
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
    // While its landing is under way, a task without a process takes no slot.
    const isLanding = task?.state === "merging" || task?.state === "in_approval"
    const rests = isLanding && !withAgent.has(id)
    const isCleaned = task?.state === "cancelled" || task?.deletion !== null
    return task?.agent && !isCleaned && !rests ? [task.agent] : []
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
