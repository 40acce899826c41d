import { join } from "node:path"
import { expect, test } from "vitest"
import { LANDING_STORY } from "../../../test/support/landing-story.ts"
import { addSampleTask, TestFolder } from "../../../test/support/store.ts"
import { FEATURES } from "../../daemon/features.ts"
import { openDb } from "../../kernel/store/open.ts"
import { listTasks } from "../../kernel/tasks/rows/find.ts"
import type { LiveFacts } from "../../kernel/waits/busy-place.ts"
import { taskDocument, taskDocuments } from "./task-document.ts"
import { taskLines } from "./task-lines.ts"

test("the error after which a landing or a turn rests is in every list [17.11]", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  const findRest: LiveFacts["findRest"] = (_, landing) => ({
    text: `the disk is full (${landing ?? "no"} landing)`,
    retryAtMs: 0,
  })
  const fleet = {
    db,
    findRest,
    findStep: () => null,
    findBounds: () => [],
    findWait: () => undefined,
    features: FEATURES,
  }
  const reasons = LANDING_STORY.map((happens) => {
    happens(db)
    const [task] = taskDocuments(fleet).tasks
    expect(taskLines(fleet).tasks[0]?.reason).toEqual(task?.reason)
    return [task?.state, task?.reason?.text ?? null].join(": ")
  })
  expect([...new Set(reasons)]).toEqual([
    "registered: the disk is full (no landing); tried again at 1970-01-01T00:00:00.000Z",
    "working: the disk is full (no landing); tried again at 1970-01-01T00:00:00.000Z",
    "merging: the disk is full (1 landing); tried again at 1970-01-01T00:00:00.000Z",
    "complete: ",
  ])
  db.close()
})

test("a task reads the same in the list and alone, however far it has come", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  const rest = {
    findRest: () => null,
    findStep: () => null,
    findBounds: () => [],
    findWait: () => undefined,
    features: FEATURES,
  }
  const fleet = { db, ...rest }
  for (const happens of LANDING_STORY) {
    happens(db)
    expect(taskDocuments(fleet).tasks).toEqual(
      listTasks(db).map((task) => taskDocument(fleet, task)),
    )
  }
  addSampleTask(db)
  expect(taskDocuments(fleet).tasks).toMatchObject([
    { id: "1", landing: { state: "landed" }, jobs: [{ sessions: ["5e551011"] }] },
    { id: "2", landing: null, jobs: [], sessionId: null, usage: { turns: 0 } },
  ])
  db.close()
})
