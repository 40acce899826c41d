/**
 * The pages of events and log lines that the server answers with, and the streams of them that miss nothing.
 *
 * A reader with an old cursor learns that records after it were deleted by the retention. That notice
 * comes first. Its number is the last one before the next record, so a cursor passes the gap.
 */
import type { TaskId } from "../../base/ids.ts"
import { PAGE_MAX } from "../../base/input-bounds.ts"
import type { FleetRows } from "../../kernel/home.ts"
import {
  findForgottenEvents,
  findForgottenLog,
  type Gap,
} from "../../kernel/store/deleted-records.ts"
import { findEventCursor, listEvents } from "../../kernel/store/events.ts"
import { listGits } from "../../kernel/store/log/git-commands.ts"
import { findLogCursor, listLog } from "../../kernel/store/log/list.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { eventDocument, iso, logLineDocument } from "../documents/row-documents.ts"
import type { Fleet } from "../fleet.ts"
import type { WritingDocument } from "../wire/events.ts"
import type { Answer, FollowedName, Given } from "../wire/routes.ts"
import type { Now } from "./send-stream.ts"

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
    return {
      first: eventGap(fleet, { after: given.after, task, next: read(given.after)[0] }),
      read,
    }
  },
  followLog: (fleet, ref, given) => {
    const task = findTaskByRef(fleet, ref).id
    const read = (after: number) => readLog(fleet, { after, task, limit: PAGE_MAX })
    const now = given.writing ? writingOf(fleet, task) : undefined
    const next = read(given.after)[0]
    return { first: logGap(fleet, { after: given.after, task, next }), read, now }
  },
}

export function listEventPage(fleet: FleetRows, given: Given<"events">): Answer<"followEvents">[] {
  const { limit, last } = given
  const task = given.task as TaskId | undefined
  const after = last === undefined ? given.after : findEventCursor(fleet.db, task, last)
  const page = readEvents(fleet, { after, task, limit })
  return [...eventGap(fleet, { after, task, next: page[0] }), ...page]
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
  const page = readLog(fleet, { task, after, limit })
  return [...logGap(fleet, { after, task, next: page[0] }), ...page]
}

const writingOf = ({ written }: Pick<Fleet, "written">, task: TaskId): Now => ({
  read: (): WritingDocument => ({ writing: written.read(task) }),
  follow: (reader) => written.follow(task, reader),
})

const readEvents = ({ db }: FleetRows, query: Parameters<typeof listEvents>[1]) =>
  listEvents(db, query).map(eventDocument)

const readLog = ({ db }: FleetRows, query: Parameters<typeof listLog>[1]) =>
  listLog(db, query).map(logLineDocument)

type Place<Task> = {
  readonly after: number
  readonly task: Task
  /** The first record after the cursor that is still there. */
  readonly next: { readonly seq: number } | undefined
}

/** One event, or none if nothing is missing. */
function eventGap(
  { db }: FleetRows,
  { after, task, next }: Place<TaskId | undefined>,
): Answer<"followEvents">[] {
  const gap = findForgottenEvents(db, { after, task })
  if (!gap) return []
  const { to, atMs } = gap
  const seq = passing(gap, next)
  return [{ seq, at: iso(atMs), type: "events.forgotten", task: null, data: { to } }]
}

function logGap({ db }: FleetRows, { after, task, next }: Place<TaskId>): Answer<"followLog">[] {
  const gap = findForgottenLog(db, { after, task })
  if (!gap) return []
  const text = "The log was deleted, as it was older than maintenance.retention."
  const notice = { turn: 0, kind: "notice", text, call: null } as const
  const seq = passing(gap, next)
  return [{ seq, at: iso(gap.atMs), task: String(task), ...notice }]
}

const passing = ({ to }: Gap, next: Place<unknown>["next"]): number =>
  next ? Math.min(to, next.seq - 1) : to
