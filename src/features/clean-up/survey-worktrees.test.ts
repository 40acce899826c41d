import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { strategyOf, workspaceRequest } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../base/ids.ts"
import { openDb } from "../../kernel/store/open.ts"
import { GitWorktreeStrategy } from "../../kernel/workspaces/git-worktree.ts"
import { inspectWorktree } from "./inspect-worktree.ts"
import { surveyWorktrees } from "./survey-worktrees.ts"

async function withWorktrees() {
  const repo = new TestRepo()
  const db = openDb(":memory:")
  const strategy = new GitWorktreeStrategy({ home: "mine", db })
  const folder = join(repo.folder, "repo.worktrees")
  const made = await strategy.setup(workspaceRequest(repo))
  const dispose = () => repo[Symbol.dispose]()
  return { repo, folder, made, db, [Symbol.dispose]: dispose }
}

test("only worktrees made by this home are found: not a person's, nor another home's", async () => {
  using it = await withWorktrees()
  it.repo.worktree("a-persons")
  const theirs = strategyOf("theirs")
  await theirs.setup(workspaceRequest(it.repo, { task: 8 as TaskId, title: "Other" }))
  const found = await surveyWorktrees(it.db, it.repo.path)
  const { worktree: path, branch } = it.made
  expect(found).toEqual([
    expect.objectContaining({ path, branch, ownBranch: branch, task: 7, purpose: "task" }),
  ])
})

test("an inspection finds uncommitted work and commits missing from the target, and writes nothing", async () => {
  using it = await withWorktrees()
  const { worktree: path } = it.made
  const look = async () => {
    const [found] = await surveyWorktrees(it.db, it.repo.path)
    const request = { targets: [it.repo.tip("main")], placed: [], running: [] }
    const { usedAtMs: _, ...rest } = await inspectWorktree(it.db, found!, request)
    return rest
  }
  const clean = { blocker: undefined, uncommitted: 0 }
  expect(await look()).toEqual({ ...clean, isContained: true })
  it.repo.write({ "README.md": "hidden edit\n" }, path)
  it.repo.gitIn(path, "update-index", "--assume-unchanged", "README.md")
  expect(await look()).toMatchObject({ uncommitted: 1, isContained: true })
  expect(it.repo.gitIn(path, "ls-files", "-v")).toBe("h README.md")
  it.repo.gitIn(path, "update-index", "--no-assume-unchanged", "README.md")

  const own = it.repo.commit({ "README.md": "a\n" }, "A", path)
  expect(await look()).toEqual({ ...clean, isContained: false })
  it.repo.commit({ "other.txt": "o" }, "other")
  expect(await look()).toEqual({ ...clean, isContained: false })
  it.repo.git("update-ref", "refs/coppice/rescue/7/1", own)
  expect(await look()).toEqual({ ...clean, isContained: true })
  it.repo.gitIn(path, "checkout", "-q", "--detach")
  it.repo.commit({ "lost.txt": "l" }, "L", path)
  expect(await look()).toEqual({ ...clean, isContained: false })
})

test("work that was squashed or picked into the target is recognised, until the target drops it [33.14]", async () => {
  using it = await withWorktrees()
  const { worktree: path, branch } = it.made
  const isContained = async () => {
    const [found] = await surveyWorktrees(it.db, it.repo.path)
    const request = { targets: [it.repo.tip("main")], placed: [], running: [] }
    return (await inspectWorktree(it.db, found!, request)).isContained
  }
  const picked = it.repo.commit({ "README.md": "a\n" }, "A", path)
  it.repo.commit({ "other.txt": "o" }, "other")
  expect(await isContained()).toBe(false)
  it.repo.git("cherry-pick", picked)
  expect(await isContained()).toBe(true)
  it.repo.commit({ "b.txt": "b" }, "B", path)
  it.repo.commit({ "c.txt": "c" }, "C", path)
  expect(await isContained()).toBe(false)
  it.repo.git("merge", "--quiet", "--squash", branch)
  it.repo.git("commit", "--quiet", "--message", "squashed")
  expect(await isContained()).toBe(true)
  it.repo.git("revert", "--no-edit", "HEAD")
  expect(await isContained()).toBe(false)
})

test("a worktree in use is left alone: an operation, a process, a lock, an unmounted disk [33.2]", async () => {
  using it = await withWorktrees()
  const { worktree: path } = it.made
  const look = async (running: { pid: number; cwd: string }[] = []) => {
    const [found] = await surveyWorktrees(it.db, it.repo.path)
    return (await inspectWorktree(it.db, found!, { targets: [], placed: [], running })).blocker
  }
  expect(await look([{ pid: 12, cwd: join(path, "src") }])).toBe("process 12 runs there")
  expect(await look([{ pid: 12, cwd: `${path}-other` }])).toBeUndefined()
  it.repo.gitIn(path, "bisect", "start")
  expect(await look()).toContain("a bisect is under way")
  it.repo.gitIn(path, "bisect", "reset")
  it.repo.git("worktree", "lock", path)
  expect(await look()).toContain("is locked")
  it.repo.git("worktree", "unlock", path)
  rmSync(it.folder, { recursive: true })
  expect(await look()).toContain("not mounted")
})

test("a worktree with a pipe in place of its index is kept, and no git waits for it [12.9]", async () => {
  using it = await withWorktrees()
  const { worktree: path } = it.made
  const index = join(it.repo.gitIn(path, "rev-parse", "--absolute-git-dir"), "index")
  rmSync(index)
  execFileSync("mkfifo", [index])
  const [found] = await surveyWorktrees(it.db, it.repo.path)
  const request = { targets: [it.repo.tip("main")], placed: [], running: [] }
  const { blocker } = await inspectWorktree(it.db, found!, request)
  expect(blocker).toContain(`has a named pipe in place of its index (${index})`)
})
