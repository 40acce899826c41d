/** Moves a landing to another place in the queue, at a person's request. */
import type { LandingId, TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import { listQueues, type QueuedLanding } from "./queue.ts"

export type Place =
  | { readonly at: "first" | "last" }
  | { readonly at: "before" | "after"; readonly task: TaskId }

type Moved =
  | { readonly kind: "moved" }
  /** This task, or its new neighbour, is not in the queue, or its position is fixed. */
  | { readonly kind: "fixed"; readonly task: TaskId }

type Entry = Pick<QueuedLanding, "id" | "task" | "priority" | "queuedAtMs">

/**
 * Gives it the priority of its new neighbour, and a time of its own next to the neighbour's. All earlier
 * times move back by the same amount, so no queue changes the order of its other landings.
 */
export function moveLanding(db: Db, task: TaskId, place: Place, nowMs: number): Moved {
  return transaction(db, () => {
    const movable = listMovable(db, task)
    const own = movable.find((one) => one.task === task)
    if (!own) return { kind: "fixed", task }
    const rest = movable.filter((one) => one !== own)
    const index = indexOf(place, rest)
    if (index === undefined) return { kind: "fixed", task: "task" in place ? place.task : task }
    const isAfter = place.at === "after" || place.at === "last"
    const neighbour = rest[isAfter ? index - 1 : index]
    if (!neighbour) return { kind: "moved" } // no other landing is in the queue
    const { id, priority, queuedAtMs } = neighbour
    sql(db, MAKE_ROOM).run({ queuedAtMs, id: isAfter ? id + 1 : id })
    sql(db, SET_TIME).run({ id: own.id, queuedAtMs: queuedAtMs - 1 })
    sql(db, SET_PRIORITY).run({ task, priority })
    const data = { landing: own.id, place: place.at, beside: neighbour.task }
    appendEvent(db, { type: "landing.reordered", task, data }, nowMs)
    return { kind: "moved" }
  })
}

/** Leaves one millisecond before a place in the order of times. Later landings keep their times. */
const MAKE_ROOM = `
  update landings set queued_at = queued_at - 2
  where state not in ('landed', 'cancelled') and (queued_at, id) < (:queuedAtMs, :id)`
const SET_TIME = "update landings set queued_at = :queuedAtMs where id = :id"
const SET_PRIORITY =
  "update tasks set priority = :priority where id = :task and priority <> :priority"

/** The movable landings in the queues of the task's targets, in queue order. */
function listMovable(db: Db, task: TaskId): Entry[] {
  const all = listQueues(db)
  const queueOf = ({ path, target }: QueuedLanding) => `${path}\0${target}`
  const queues = new Set(all.filter((one) => one.task === task).map(queueOf))
  const movable = all.filter((one) => one.movable && queues.has(queueOf(one)))
  const byId = new Map<LandingId, Entry>(movable.map((one) => [one.id, one]))
  return [...byId.values()].sort(byPlace)
}

/** The index among the other landings; undefined if the neighbour is not among them. */
function indexOf(place: Place, rest: readonly Entry[]): number | undefined {
  if (!("task" in place)) return place.at === "first" ? 0 : rest.length
  const index = rest.findIndex(({ task }) => task === place.task)
  if (index < 0) return undefined
  return place.at === "before" ? index : index + 1
}

const byPlace = (one: Entry, other: Entry): number =>
  other.priority - one.priority || one.queuedAtMs - other.queuedAtMs || one.id - other.id
