/**
 * Events and logs: their pages, and the sources of followers, which miss nothing.
 *
 * A reader with an old cursor learns that records after it were deleted by the retention. That notice
 * comes first and carries the number of the cursor, which therefore does not move.
 */
import type { TaskId } from "../../base/ids.ts"
import { PAGE_MAX } from "../../base/input-bounds.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findEventCursor, listEvents } from "../../kernel/store/events.ts"
import { findForgottenEvents, findForgottenLog } from "../../kernel/store/forgotten.ts"
import { listGits } from "../../kernel/store/log/gits.ts"
import { findLogCursor, listLog } from "../../kernel/store/log/list.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { eventDocument, iso, logLineDocument } from "../documents/row-documents.ts"
import type { Fleet } from "../fleet.ts"
import type { WritingDocument } from "../wire/events.ts"
import type { Answer, FollowedName, Given } from "../wire/routes.ts"
import type { Now } from "./follow.ts"

/** A follower is sent `first`, then page by page. */
type Source<Item> = {
  readonly first: readonly Item[]
  /** One page after a number, oldest first; empty if there is nothing new. */
  read(after: number): readonly Item[]
  /** Also sent, as it is now, after each change. */
  readonly now?: Now | undefined
}

type Sources = {
  readonly [Name in FollowedName]: (
    fleet: FleetRows & Pick<Fleet, "written">,
    ref: string,
    given: Given<Name>,
  ) => Source<Answer<Name>>
}

export const SOURCES: Sources = {
  followEvents: (fleet, _, given) => {
    const task = given.task as TaskId | undefined
    const read = (after: number) => readEvents(fleet, { after, task, limit: PAGE_MAX })
    return { first: eventGap(fleet, given.after, task), read }
  },
  followLog: (fleet, ref, given) => {
    const task = findTaskByRef(fleet, ref).id
    const read = (after: number) => readLog(fleet, { after, task, limit: PAGE_MAX })
    const now = given.writing ? writingOf(fleet, task) : undefined
    return { first: logGap(fleet, given.after, task), read, now }
  },
}

export function listEventPage(fleet: FleetRows, given: Given<"events">): Answer<"followEvents">[] {
  const { limit, last } = given
  const task = given.task as TaskId | undefined
  const after = last === undefined ? given.after : findEventCursor(fleet.db, task, last)
  return [...eventGap(fleet, after, task), ...readEvents(fleet, { after, task, limit })]
}

export function listLogPage(
  fleet: FleetRows,
  ref: string,
  { after: given, limit: most, kind, last, before }: Given<"log">,
): Answer<"followLog">[] {
  const task = findTaskByRef(fleet, ref).id
  const after = last === undefined ? given : findLogCursor(fleet.db, { task, last, before })
  const limit = before === undefined ? most : Math.min(most, last ?? most)
  if (kind) return listGits(fleet.db, { task, after, limit }).map(logLineDocument)
  return [...logGap(fleet, after, task), ...readLog(fleet, { task, after, limit })]
}

const writingOf = ({ written }: Pick<Fleet, "written">, task: TaskId): Now => ({
  read: (): WritingDocument => ({ writing: written.read(task) }),
  follow: (reader) => written.follow(task, reader),
})

const readEvents = ({ db }: FleetRows, query: Parameters<typeof listEvents>[1]) =>
  listEvents(db, query).map(eventDocument)

const readLog = ({ db }: FleetRows, query: Parameters<typeof listLog>[1]) =>
  listLog(db, query).map(logLineDocument)

/** One event, or none if nothing is missing. */
function eventGap(
  { db }: FleetRows,
  after: number,
  task: TaskId | undefined,
): Answer<"followEvents">[] {
  const gap = findForgottenEvents(db, { after, task })
  if (!gap) return []
  const { to, atMs } = gap
  return [{ seq: after, at: iso(atMs), type: "events.forgotten", task: null, data: { to } }]
}

function logGap({ db }: FleetRows, after: number, task: TaskId): Answer<"followLog">[] {
  const gap = findForgottenLog(db, { after, task })
  if (!gap) return []
  const text = "The log was deleted, as it was older than maintenance.retention."
  const notice = { turn: 0, kind: "notice", text, call: null } as const
  return [{ seq: after, at: iso(gap.atMs), task: String(task), ...notice }]
}
