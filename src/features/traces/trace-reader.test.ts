import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { EventType } from "../../api/wire/event-types.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { deleteOfTask } from "../clean-up/rows/delete-old.ts"
import { TraceReader } from "./trace-reader.ts"

/** A task of which a collector has the spans up to its first turn, when retention deletes its events. */
function forgotten({ turns }: { readonly turns: number }) {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const append = (type: EventType, data = {}) => appendEvent(db, { type, task, data }, 1_000).seq
  append("task.started", { from: "registered", to: "working" })
  append("job.started", { job: 1 })
  let seen = 0
  for (let n = 1; n <= turns; n++) {
    append("turn.opened", { n, session: "s", agent: "ann" })
    append("turn.began", { n })
    const ended = append("turn.ended", { n })
    seen ||= ended
  }
  append("task.landed", { from: "working", to: "complete" })
  forceState(db, task, "complete")
  deleteOfTask(db, { task, before: Number.MAX_SAFE_INTEGER, sessions: false }, 2_000)
  return { append, read: () => new TraceReader(db, seen).next()?.spans ?? [] }
}

test("a trace whose first events retention has deleted has a root that ends, and no count of what is gone [52.8]", () => {
  const spans = forgotten({ turns: 70 }).read()
  const root = spans.find(({ parent }) => parent === null)
  expect(root).toMatchObject({ key: "task 1", attributes: { "coppice.task.state": "complete" } })
  expect(root?.attributes).not.toHaveProperty("coppice.task.jobs")
  const keys = spans.map(({ key }) => key)
  for (const { parent } of spans) expect([null, ...keys]).toContain(parent)
})

test("a task whose events are gone is resumed below its first life, and ends again [52.8]", () => {
  const { append, read } = forgotten({ turns: 1 })
  expect(read()).toEqual([])
  append("task.resumed", { from: "complete", to: "working" })
  append("job.started", { job: 2 })
  append("task.landed", { from: "working", to: "complete" })
  append("task.deleted")
  expect(read()).toMatchObject([
    { name: "job", attributes: { "coppice.job.id": 2 } },
    { name: "task", parent: "task 1", attributes: { "coppice.task.state": "complete" } },
  ])
})

test("a task whose events are gone is deleted without a second root [52.8]", () => {
  const { append, read } = forgotten({ turns: 1 })
  append("task.deleted")
  expect(read()).toEqual([])
})
