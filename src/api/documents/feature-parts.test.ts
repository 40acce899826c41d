import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Feature } from "../feature.ts"
import { TaskDocument } from "../wire/tasks.ts"
import { taskDocument, taskDocuments } from "./task-document.ts"
import { taskLines } from "./task-lines.ts"
import { whyDocument } from "./why-document.ts"

/** Each task is on task 7, and waits for the moon. */
const moon: Feature = {
  name: "moon",
  section: { one: () => ({ on: "7" }), all: () => () => ({ on: "7" }) },
  why: {
    wait: () => ({ waitingFor: "the full moon", unblock: "nights pass", sinceMs: 0 }),
  },
}

const QUIET = {
  findRest: () => null,
  findStep: () => null,
  findBounds: () => [],
  findWait: () => undefined,
}

test("a task's document has the section of a feature at its place, and is whole without features", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const task = findTask(db, id)!
  const read = (features: readonly Feature[]) => {
    const fleet = { db, ...QUIET, features }
    const alone = taskDocument(fleet, task)
    expect(taskDocuments(fleet).tasks).toEqual([alone])
    expect(Object.keys(TaskDocument.parse(alone))).toEqual(Object.keys(alone))
    return alone
  }
  expect(read([])).toMatchObject({ on: null, children: [], pullRequests: [] })
  const reason = { code: "waits", text: "waits for the full moon" }
  expect(read([moon])).toEqual({ ...read([]), on: "7", reason })
  db.close()
})

test("a feature's sentence is the wait of a task in whose way the kernel finds nothing", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const read = (features: readonly Feature[], facts = {}) => {
    const fleet = { db, ...QUIET, ...facts, features }
    const { waitingFor, unblock, since } = whyDocument(fleet, findTask(db, id)!)
    const { tasks } = taskLines(fleet)
    return [waitingFor, unblock, since, tasks[0]?.reason?.text]
  }
  expect(read([])[0]).toBe("a free slot for its agent")
  expect(read([moon])).toEqual([
    "the full moon",
    "nights pass",
    "1970-01-01T00:00:00.000Z",
    "waits for the full moon",
  ])
  const findBounds = () => [{ key: "limits.agents", max: 1, tasks: [2] }]
  expect(read([moon], { findBounds })[0]).toBe("a free slot for its agent (limits.agents is 1)")
  forceState(db, id, "stuck")
  expect(read([moon])).toMatchObject({ 0: "a person: it is stuck", 3: undefined })
  db.close()
})
