import { join } from "node:path"
import { expect, test } from "vitest"
import { LANDING_STORY } from "../../../test/support/landing-story.ts"
import {
  addSampleLanding,
  addSampleTask,
  forceState,
  TestFolder,
} from "../../../test/support/store.ts"
import { FEATURES } from "../../daemon/features.ts"
import { LANDING } from "../../kernel/landing/rules.ts"
import { openDb } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import { findTask, listTasks } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { TASK, type TaskState } from "../../kernel/tasks/rules.ts"
import type { LiveFacts } from "../../kernel/waits/busy-place.ts"
import { taskDocument, taskDocuments } from "./task-document.ts"
import { taskLines } from "./task-lines.ts"

const QUIET = {
  findStep: () => null,
  findBounds: () => [],
  findWait: () => undefined,
  features: FEATURES,
}

test("a list offers the actions that the document of a task offers, in every state [15.25]", () => {
  const db = openDb(":memory:")
  const fleet = { db, ...QUIET, findRest: () => null }
  const { task: landing } = addSampleLanding(db)
  const { id: bare } = addSampleTask(db)
  sql(db, "update tasks set land = 'none'").run()
  const offered = new Set<string>()
  const check = () => {
    const { tasks } = taskLines(fleet)
    for (const [at, id] of [landing, bare].entries()) {
      const task = findTask(db, id)!
      const { can } = taskDocument(fleet, task)
      offered.add(can.join(" "))
      expect([task.state, task.landingState, tasks[at]?.can]).toEqual([...stateOf(task), can])
      expect(taskDocuments(fleet).tasks[at]?.can).toEqual(can)
    }
  }
  for (const state of Object.keys(TASK) as TaskState[])
    for (const landingState of Object.keys(LANDING))
      for (const worktree of ["/w", null]) {
        for (const id of [landing, bare]) forceState(db, id, state, RETURNS[state] ?? null)
        sql(db, "update landings set state = :landingState").run({ landingState })
        sql(db, "update task_repos set worktree = :worktree").run({ worktree })
        check()
      }
  expect(offered.size).toBeGreaterThan(8)
})
const RETURNS: Partial<Record<TaskState, TaskState>> = { paused: "working", stuck: "planning" }
const stateOf = ({ state, landingState }: Task) => [state, landingState] as const

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
    ...QUIET,
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
