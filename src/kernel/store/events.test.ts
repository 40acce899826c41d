import { expect, test } from "vitest"
import type { EventType } from "../../api/wire/event-types.ts"
import type { TaskId } from "../../base/ids.ts"
import { appendEvent, eventType, listEvents } from "./events.ts"
import { openDb } from "./open.ts"

test("events are numbered, and read behind a cursor, of all or of one task", () => {
  const db = openDb(":memory:")
  const append = (type: string, task: TaskId | null) =>
    appendEvent(db, { type: type as EventType, task, data: { n: 1, list: ["ü"] } }, 7)
  const [one, two, three] = [
    append("a.one", 1 as TaskId),
    append("a.two", null),
    append("a.three", 1 as TaskId),
  ]
  expect(one).toEqual({ seq: 1, atMs: 7, type: "a.one", task: 1, data: { n: 1, list: ["ü"] } })
  expect(listEvents(db, { after: 0, limit: 2 })).toEqual([one, two])
  expect(listEvents(db, { after: two!.seq, limit: 2 })).toEqual([three])
  expect(listEvents(db, { after: 0, task: 1 as TaskId, limit: 9 })).toEqual([one, three])
})

test("an event's type is its transition in snake case, without where it leads", () => {
  expect(eventType("task", "landingRequested")).toBe("task.landing_requested")
  expect(eventType("task", "restarted:working")).toBe("task.restarted")
  expect(eventType("landing", "claimed")).toBe("landing.claimed")
})
