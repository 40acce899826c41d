import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { workspaceRequest } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../core/ids.ts"
import { GitWorktreeStrategy } from "../git-worktree.ts"
import { inspectWorktree } from "./inspect.ts"
import { removeHalfMade } from "./remove-empty.ts"
import { listStrays, removeStray } from "./strays.ts"
import { surveyWorktrees } from "./survey.ts"

const NOW_MS = Date.now()
const LONG_AGO = new Date(NOW_MS - 2 * 3_600_000)

async function withWorktrees() {
  const repo = new TestRepo()
  const strategy = new GitWorktreeStrategy({ home: "mine" })
  const folder = join(repo.folder, "repo.worktrees")
  const made = await strategy.setup(workspaceRequest(repo))
  const request = {
    home: "mine",
    repo: repo.path,
    folders: [folder],
    nowMs: NOW_MS,
  }
  const dispose = () => repo[Symbol.dispose]()
  return { repo, folder, made, strategy, request, [Symbol.dispose]: dispose }
}

test("only what this home has made is found: not a person's worktree, nor another home's", async () => {
  using it = await withWorktrees()
  it.repo.worktree("a-persons")
  const theirs = new GitWorktreeStrategy({ home: "theirs" })
  await theirs.setup(workspaceRequest(it.repo, { task: 8 as TaskId, title: "Other" }))
  const found = await surveyWorktrees(it.request)
  const { worktree: path, branch } = it.made
  expect(found).toEqual([
    expect.objectContaining({ path, branch, ownBranch: branch, task: 7, kind: "task" }),
  ])
})

test("L12: what a killed set-up left is told by being empty, at a place of ours, for an hour", async () => {
  using it = await withWorktrees()
  const path = join(it.folder, "9-cut-short")
  it.repo.git("worktree", "add", "-q", "--no-checkout", "-b", "cut", path)
  const admin = join(it.repo.path, ".git/worktrees/9-cut-short")
  writeFileSync(join(admin, "locked"), "initializing")
  rmSync(join(admin, "index"), { force: true })
  const half = async () =>
    (await surveyWorktrees(it.request)).find(({ kind }) => kind === "half_made")
  expect(await half()).toBeUndefined()
  utimesSync(admin, LONG_AGO, LONG_AGO)
  const found = (await half())!
  expect(found).toMatchObject({ path, task: 9 })

  writeFileSync(join(path, "mine.txt"), "mine")
  expect(await half()).toBeUndefined()
  expect(await removeHalfMade(it.request, found)).toBe(false)
  rmSync(join(path, "mine.txt"))
  expect(await removeHalfMade(it.request, found)).toBe(true)
  expect(it.repo.git("worktree", "list")).not.toContain(path)
  expect(it.repo.git("branch", "--list", "cut")).not.toBe("")
})

test("a look says what is in no commit and what the target does not have, and writes nothing", async () => {
  using it = await withWorktrees()
  const { worktree: path } = it.made
  const look = async () => {
    const [found] = await surveyWorktrees(it.request)
    const request = { targets: [it.repo.tip("main")], placed: [], running: [] }
    const { usedAtMs: _, ...rest } = await inspectWorktree(found!, request)
    return rest
  }
  const clean = { hindrance: undefined, uncommitted: 0 }
  expect(await look()).toEqual({ ...clean, containment: "ancestor" })
  it.repo.write({ "README.md": "hidden edit\n" }, path)
  it.repo.gitIn(path, "update-index", "--assume-unchanged", "README.md")
  expect(await look()).toMatchObject({ uncommitted: 1, containment: "none" })
  expect(it.repo.gitIn(path, "ls-files", "-v")).toBe("h README.md")
  it.repo.gitIn(path, "update-index", "--no-assume-unchanged", "README.md")

  const own = it.repo.commit({ "README.md": "a\n" }, "A", path)
  expect(await look()).toEqual({ ...clean, containment: "none" })
  it.repo.commit({ "other.txt": "o" }, "other")
  it.repo.git("cherry-pick", own)
  expect(await look()).toEqual({ ...clean, containment: "patches" })
  it.repo.commit({ "README.md": "b\n" }, "B", path)
  it.repo.commit({ "README.md": "c\n" }, "C", path)
  it.repo.commit({ "README.md": "c\n" }, "squashed")
  expect(await look()).toEqual({ ...clean, containment: "squash" })
  it.repo.gitIn(path, "checkout", "-q", "--detach")
  it.repo.commit({ "lost.txt": "l" }, "L", path)
  expect(await look()).toEqual({ ...clean, containment: "none" })
})

test("what somebody is at is left alone: an operation, a process, a lock, a disk that is not there", async () => {
  using it = await withWorktrees()
  const { worktree: path } = it.made
  const look = async (running: { pid: number; cwd: string }[] = []) => {
    const [found] = await surveyWorktrees(it.request)
    return (await inspectWorktree(found!, { targets: [], placed: [], running })).hindrance
  }
  expect(await look([{ pid: 12, cwd: join(path, "src") }])).toBe("process 12 runs there")
  expect(await look([{ pid: 12, cwd: `${path}-other` }])).toBeUndefined()
  it.repo.gitIn(path, "bisect", "start")
  expect(await look()).toContain("in the middle of a bisect")
  it.repo.gitIn(path, "bisect", "reset")
  it.repo.git("worktree", "lock", path)
  expect(await look()).toContain("is locked")
  it.repo.git("worktree", "unlock", path)
  rmSync(it.folder, { recursive: true })
  expect(await look()).toContain("not mounted")
})

test("folders that git does not know are told; only an empty one with a task's name can go", async () => {
  using it = await withWorktrees()
  mkdirSync(join(it.folder, "3-empty"))
  mkdirSync(join(it.folder, "a-persons"))
  mkdirSync(join(it.folder, "4-lost"))
  const link = `gitdir: ${join(it.repo.path, ".git/worktrees/4-lost")}\n`
  writeFileSync(join(it.folder, "4-lost/.git"), link)
  const names = new Set(["3-empty", "4-lost"])
  const strays = await listStrays(it.repo.path, it.request.folders, names)
  expect(strays.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: join(it.folder, "3-empty"), isEmpty: true },
    { path: join(it.folder, "4-lost"), isEmpty: false },
  ])
  expect(await Promise.all(strays.map(removeStray))).toEqual([true, false])
})
