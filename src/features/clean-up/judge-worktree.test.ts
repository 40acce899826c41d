/** A view of a repository stays consistent while tasks begin. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleTask } from "../../../test/support/store.ts"
import { defaultConfig } from "../../config/parse.ts"
import { openDb } from "../../kernel/store/open.ts"
import { recordWorkspace } from "../../kernel/tasks/rows/task-repos/workspace.ts"
import { recordWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import { viewRepository } from "./judge-worktree.ts"

test("a worktree that is made during a look has its task in the view, and is no orphan", async () => {
  using repo = new TestRepo()
  const db = openDb(":memory:")
  const world = { nowMs: Date.now, dice: Math.random, point: () => {} }
  const config = () => defaultConfig("app")
  const context = { db, world, home: repo.path, config, findAgent: () => undefined }
  const path = join(repo.folder, "app.worktrees/1-new")

  const looking = viewRepository(context, repo.path)
  const { id: task } = addSampleTask(db, {
    repos: [{ name: "app", path: repo.path, target: "main" }],
  })
  recordWorktree(db, { path, repo: repo.path, purpose: "task", task, branch: "new" })
  mkdirSync(path, { recursive: true })
  const base = repo.tip("main")
  recordWorkspace(db, { task, name: "app", branch: "new", worktree: path, base, placed: [] })

  const { rows, worktrees } = await looking
  expect(worktrees.map((one) => one.path)).toEqual([path])
  expect(rows.map(({ worktree }) => worktree)).toEqual([path])
  db.close()
})
