import { expect, test } from "vitest"
import { addSampleTask } from "../../../../test/support/store.ts"
import type { Oid } from "../../../base/ids.ts"
import { openDb } from "../../store/open.ts"
import { countTasks, findTask, listTasks } from "./find.ts"
import { recordRemoved } from "./task-repos/removal.ts"
import { recordBranch, recordLanded } from "./task-repos/work.ts"
import { recordWorkspace } from "./task-repos/workspace.ts"

const base = "a".repeat(40) as Oid
const tip = "b".repeat(40) as Oid

test("a new task is registered, in the repositories it names, in their order", () => {
  const db = openDb(":memory:")
  const repos = [
    { name: "web", path: "/repos/web", target: "main" },
    { name: "api", path: "/repos/api", target: "release" },
  ]
  const task = addSampleTask(db, { repos, workItem: "gh-17", land: "none" })
  const unset = {
    ready: false,
    branch: null,
    worktree: null,
    base: null,
    asFound: null,
    made: null,
    entry: null,
    mergeBase: null,
    mergeTip: null,
    address: null,
    takenBack: null,
    tornDown: false,
    start: null,
  }
  expect(task).toEqual({
    id: 1,
    landingState: null,
    title: "Greet people",
    prompt: "Say hello.\n",
    agent: "coder",
    state: "registered",
    returnsTo: null,
    reason: null,
    workItem: "gh-17",
    land: "none",
    strategy: "git_worktree",
    priority: 0,
    lastMessage: null,
    program: null,
    schedule: null,
    parent: null,
    reports: false,
    reviewOf: null,
    standIn: null,
    model: null,
    planMode: "none",
    planner: null,
    plan: null,
    deletion: null,
    attached: null,
    createdAtMs: 1000,
    updatedAtMs: 1000,
    repos: repos.map((repo) => ({ ...repo, ...unset, placed: [] })),
  })
  expect(findTask(db, task.id)).toEqual(task)
})

test("tasks are listed newest last, and counted by state", () => {
  const db = openDb(":memory:")
  expect([listTasks(db), countTasks(db)]).toEqual([[], {}])
  const first = addSampleTask(db)
  const second = addSampleTask(db, { repos: [] })
  expect(listTasks(db)).toEqual([first, second])
  expect(countTasks(db)).toEqual({ registered: 2 })
})

test("a workspace is recorded, renamed, landed and removed in its repository alone", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const other = addSampleTask(db)
  const workspace = { branch: "agent/1", worktree: "/w/1", base, placed: [".env"] }
  recordWorkspace(db, { task, name: "app", ...workspace })
  expect(findTask(db, task)?.repos).toMatchObject([workspace])
  recordBranch(db, { task, name: "app", branch: "better-name" })
  recordLanded(db, { task, name: "app", mergeBase: base, mergeTip: tip })
  recordRemoved(db, { task, name: "app" })
  expect(findTask(db, task)?.repos).toMatchObject([
    { branch: "better-name", worktree: null, base, mergeBase: base, mergeTip: tip },
  ])
  expect(findTask(db, other.id)).toEqual(other)
  const nowhere = () => recordBranch(db, { task, name: "nowhere", branch: "x" })
  expect(nowhere).toThrow(expect.objectContaining({ blame: "bug" }))
})
