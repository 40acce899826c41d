import { join } from "node:path"
import { expect, test } from "vitest"
import { LANDING_STORY } from "../../test/support/landing-story.ts"
import { addSampleTask, TestFolder } from "../../test/support/store.ts"
import { openDb } from "../store/open.ts"
import { listTasks } from "../store/tasks/list.ts"
import type { Fleet } from "./fleet.ts"
import { taskDocument, taskDocuments } from "./task-document.ts"

test("a task reads the same in the list and by itself, however far it has come", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  const rest = { findRest: () => null, findWait: () => undefined } // documents ask for nothing else
  const fleet = { db, ...rest } as unknown as Fleet
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
