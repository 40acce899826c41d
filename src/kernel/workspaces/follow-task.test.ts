import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleTask } from "../../../test/support/store.ts"
import { workspaceRequest } from "../../../test/support/workspaces.ts"
import { findGitDir } from "../git/start/git-dir.ts"
import { openDb } from "../store/open.ts"
import { findTask } from "../tasks/rows/find.ts"
import { recordWorkspace } from "../tasks/rows/task-repos/workspace.ts"
import { followTask } from "./follow-task.ts"
import { GitWorktreeStrategy } from "./git-worktree.ts"

test("a rename that was killed before HEAD followed is taken back [26.4]", async () => {
  using repo = new TestRepo()
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db, {
    repos: [{ name: "app", path: repo.path, target: "main" }],
  })
  const strategy = new GitWorktreeStrategy({ home: "/home/of/this/test", db })
  const made = await strategy.setup(workspaceRequest(repo, { task }))
  const { branch, worktree, base, placed } = made
  const entry = findGitDir(worktree)
  recordWorkspace(db, { task, name: "app", branch, worktree, entry, base, placed })
  const work = repo.commit({ "a.txt": "a" }, "A1", worktree)
  const head = join(entry ?? "", "HEAD")
  const before = readFileSync(head)
  repo.gitIn(worktree, "branch", "-m", "mine")
  writeFileSync(head, before)
  const { repos } = await followTask(db, findTask(db, task)!)
  expect(repos[0]?.branch).toBe(branch)
  expect(repo.tip(branch)).toBe(work)
  expect(repo.git("branch", "--list", "mine")).toBe("")
})
