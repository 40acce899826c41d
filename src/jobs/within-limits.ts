/** Chooses which of the due tasks may begin: so many agents in all, so many of each name. */
import type { TaskId } from "../core/ids.ts"
import { listProcesses } from "../store/processes/list.ts"
import { readEach } from "../store/readable.ts"
import { findTask } from "../store/tasks/find.ts"
import type { JobsContext } from "./context.ts"

/** @param due most urgent first. @param driven those that are at work already. */
export function withinLimits(
  { db, limits, findAgent }: JobsContext,
  due: readonly TaskId[],
  driven: ReadonlySet<TaskId>,
): TaskId[] {
  const withAgent = new Set(listProcesses(db).map(({ task }) => task))
  const agentOf = (id: TaskId) => {
    const [task] = readEach([{ id }], () => findTask(db, id)) // one that is spoilt begins nothing
    // While its landing is under way, a task without a process holds up nobody.
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
