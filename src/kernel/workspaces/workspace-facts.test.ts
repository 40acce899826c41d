import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import type { Oid } from "../../base/ids.ts"
import { openDb } from "../store/open.ts"
import { findTask } from "../tasks/rows/find.ts"
import { recordWorkspace } from "../tasks/rows/task-repos/workspace.ts"
import { workspaceFacts } from "./workspace-facts.ts"

test("a disposable worktree has a slug of its own, so its teardown spares the agent's databases", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const base = "1".repeat(40) as Oid
  const workspace = { branch: "b", worktree: "/w/1", base, placed: [] }
  recordWorkspace(db, { task: id, name: "app", ...workspace })
  const task = findTask(db, id)!
  const beside = {
    home: "/state/app",
    job: 1,
    ports: new Map([["app", { first: 20_140, count: 3 }]]),
  }
  const own = workspaceFacts(task, task.repos[0]!, beside)
  const place = { worktree: "/w/landing-1", base }
  const gate = workspaceFacts(task, task.repos[0]!, { ...beside, place })
  expect(own).toMatchObject({ worktree: "/w/1", ports: { first: 20_140, count: 3 } })
  expect(gate).toMatchObject({ worktree: "/w/landing-1", ports: own.ports })
  expect(gate.slug).not.toBe(own.slug)
})
