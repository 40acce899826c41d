import { expect, test } from "vitest"
import { addSampleTask } from "../../../../test/support/store.ts"
import type { Oid, TaskId } from "../../../base/ids.ts"
import { type Db, openDb } from "../../store/open.ts"
import { resolveTask } from "./resolve.ts"
import { recordRemoved } from "./task-repos/removal.ts"
import { recordBranch } from "./task-repos/work.ts"
import { recordWorkspace } from "./task-repos/workspace.ts"

/** The id that `ref` was resolved to, or what it was instead. */
function meaning(db: Db, ref: string) {
  const resolved = resolveTask(db, ref)
  if (resolved.kind === "found") return resolved.task.id
  return resolved.kind === "none" ? "none" : resolved.ids
}

function sampleDb(): Db {
  const db = openDb(":memory:")
  addSampleTask(db, { title: "Fix the login", workItem: "gh-17" })
  addSampleTask(db, { title: "Fix the logout", workItem: "3" })
  addSampleTask(db, { title: "Fix", workItem: null })
  for (const task of [1, 2] as Parameters<typeof recordWorkspace>[1]["task"][]) {
    const place = { branch: `agent/coder/${task}`, worktree: "/w", base: "0".repeat(40) as Oid }
    recordWorkspace(db, { task, name: "app", placed: [], ...place })
  }
  return db
}

test("a task is found by id, branch, work item, title and beginning of its title", () => {
  const db = sampleDb()
  expect(meaning(db, "1")).toBe(1)
  expect(meaning(db, "agent/coder/2")).toBe(2)
  expect(meaning(db, "gh-17")).toBe(1)
  expect(meaning(db, "Fix the logo")).toBe(2)
  expect(meaning(db, "Fix")).toBe(3)
})

test("a number is an id alone: that of a deleted task means no other task", () => {
  const db = sampleDb()
  expect(meaning(db, "3")).toBe(3)
  addSampleTask(db, { title: "9 lives", workItem: "8" })
  recordBranch(db, { task: 2 as TaskId, name: "app", branch: "7" })
  for (const ref of ["7", "8", "9"]) expect(meaning(db, ref), ref).toBe("none")
  expect(meaning(db, "9 lives")).toBe(4)
})

test("a beginning that several titles share is ambiguous", () => {
  expect(meaning(sampleDb(), "Fix the")).toEqual([1, 2])
})

test("a branch that is called like another task makes the name ambiguous, and never captures it", () => {
  const db = sampleDb()
  for (const branch of ["gh-17", "Fix", "Fix the login", "Fix the logi", "1"]) {
    recordBranch(db, { task: 2 as TaskId, name: "app", branch })
    const owner = branch === "Fix" ? 3 : 1
    const expected = branch === "1" ? 1 : [owner, 2].sort((one, other) => one - other)
    expect(meaning(db, branch), branch).toEqual(expected)
  }
})

test("nothing, an unknown word, a pattern and a padded id mean no task", () => {
  const db = sampleDb()
  for (const ref of ["", "nowhere", "%", "Fix_the", "01", "1 ", "4"])
    expect(meaning(db, ref), ref).toBe("none")
})

test("a branch is found when its worktree is gone", () => {
  const db = sampleDb()
  const task = resolveTask(db, "agent/coder/1")
  if (task.kind !== "found") throw new Error("there is a task")
  recordRemoved(db, { task: task.task.id, name: "app" })
  expect(meaning(db, "agent/coder/1")).toBe(1)
})
