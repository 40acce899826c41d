/** Repeats a set-up that died before it could record its worktree. */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { storeOf, strategyOf, workspaceRequest } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../base/ids.ts"
import { recordWorktree } from "./rows/worktrees.ts"

const strategy = strategyOf("/home/of/this/test")
/** The record that a set-up of task 7 makes of its branch in advance. */
const begun = (repo: TestRepo) => {
  const made = { branch: "agent/coder/7-fix-the-typo", at: repo.tip("main") }
  return { made, findBegun: () => made }
}
const statusOf = (repo: TestRepo, worktree: string) =>
  repo.gitIn(worktree, "status", "--porcelain", "--ignored")

test("L12, L14: a set-up that was never recorded is repeated; work in it is saved [1.1]", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  const late = repo.commit({ "late.txt": "late" }, "late", first.worktree)
  writeFileSync(join(first.worktree, "dirty.txt"), "dirty")
  const changes = { findBegun: () => ({ branch: first.branch, at: repo.tip("main") }) }
  const again = await strategy.setup(workspaceRequest(repo, changes))
  const { worktree, branch } = first
  expect(again).toMatchObject({ worktree, branch, fresh: true, base: repo.tip("main") })
  expect(repo.tip(branch)).toBe(late)
  expect(repo.git("show", "refs/coppice/rescue/7/1:dirty.txt")).toBe("dirty")
  expect(repo.tip("refs/coppice/rescue/7/1^")).toBe(late)
})

test("a worktree that a killed git left half made is made again", async () => {
  using repo = new TestRepo()
  const { worktree } = await strategy.setup(workspaceRequest(repo))
  const own = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  // As after SIGKILL in the middle of the checkout: no index yet, its lock, some of the files.
  rmSync(join(own, "index"))
  writeFileSync(join(own, "coppice-checkout.json"), JSON.stringify({ pid: 0 }))
  writeFileSync(join(own, "index.lock"), "")
  writeFileSync(join(own, "locked"), "initializing")
  writeFileSync(join(worktree, "README.md"), "hel")

  const again = await strategy.setup(workspaceRequest(repo, begun(repo)))

  expect(again).toMatchObject({ worktree, fresh: true, branch: "agent/coder/7-fix-the-typo" })
  expect(statusOf(repo, worktree)).toBe("")
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
  expect(repo.git("worktree", "list", "--porcelain")).not.toContain("locked")
})

test.each([false, true])(
  "a worktree that git had only begun to add for us is made again, with an empty .git file: %s",
  async (isEmpty) => {
    using repo = new TestRepo()
    const path = join(repo.folder, "repo.worktrees/7-fix-the-typo")
    repo.git(
      "worktree",
      "add",
      "--quiet",
      "--no-checkout",
      "-b",
      "agent/coder/7-fix-the-typo",
      path,
    )
    const own = repo.gitIn(path, "rev-parse", "--absolute-git-dir")
    writeFileSync(join(own, "locked"), "initializing")
    if (isEmpty) {
      for (const name of ["HEAD", "commondir"]) rmSync(join(own, name))
      writeFileSync(join(path, ".git"), "")
    }
    const made = {
      path,
      repo: repo.path,
      purpose: "task",
      task: 7 as TaskId,
      branch: null,
    } as const
    recordWorktree(storeOf("/home/of/this/test"), made)
    expect(await strategy.setup(workspaceRequest(repo))).toMatchObject({
      worktree: path,
      fresh: true,
    })
    expect(statusOf(repo, path)).toBe("")
  },
)

test("a branch that an earlier try made at the target's commit is used as it is, and never deleted", async () => {
  using repo = new TestRepo()
  const { made, ...change } = begun(repo)
  repo.git("branch", made.branch)
  repo.git("pack-refs", "--all")
  const { branch, base } = await strategy.setup(workspaceRequest(repo, change))
  expect({ branch, base }).toEqual({ branch: made.branch, base: made.at })
  // A ref that was made again would be a file of its own.
  expect(existsSync(join(repo.path, ".git/refs/heads", branch))).toBe(false)
})

test("a branch that an earlier try made starts from the target as it is now", async () => {
  using repo = new TestRepo()
  const { made, ...change } = begun(repo)
  repo.git("branch", made.branch)
  const now = repo.commit({ "new.txt": "new" })
  const workspace = await strategy.setup(workspaceRequest(repo, change))
  expect(workspace).toMatchObject({ branch: "agent/coder/7-fix-the-typo", base: now })
  expect(existsSync(join(workspace.worktree, "new.txt"))).toBe(true)
})
