/** Turns the landing queues into the document of the API. */
import { assert } from "../core/assert.ts"
import { branchOf } from "../core/ids.ts"
import type { QueueDocument } from "../core/wire/documents.ts"
import { findLanding } from "../store/landings/find.ts"
import { listQueues, type QueuedLanding } from "../store/landings/queue.ts"
import { findTask } from "../store/tasks/find.ts"
import { iso, whyDocument } from "./documents.ts"
import type { Fleet } from "./fleet.ts"

export function queueDocument(fleet: Fleet): QueueDocument {
  const ofTarget = Map.groupBy(listQueues(fleet.db), ({ path, target }) => `${path}\0${target}`)
  const queues = [...ofTarget.values()].map((landings) => {
    const { path, target } = landings[0]!
    return { path, target: branchOf(target), landings: landings.map((one) => entry(fleet, one)) }
  })
  return { queues }
}

function entry(fleet: Fleet, { id, task: taskId }: QueuedLanding) {
  const landing = findLanding(fleet.db, id)
  const task = findTask(fleet.db, taskId)
  assert(landing && task, "a landing that was listed is there, and so is its task")
  const { state, outcome, sinceMs } = landing
  const { title, priority } = task
  const { waitingFor, unblock } = whyDocument(fleet, task)
  const since = iso(sinceMs)
  const ids = { id: String(id), task: String(taskId) }
  return { ...ids, title, state, outcome, priority, since, waitingFor, unblock }
}
