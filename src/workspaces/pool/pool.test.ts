import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import type { TestRepo } from "../../../test/support/repo.ts"
import { recorded, removal } from "../../../test/support/workspaces.ts"
import { reservePath } from "./add-entry.ts"
import type { Pool } from "./pool.ts"

test("a worktree that was made ahead is claimed at its own path, on a new branch, without a checkout", async () => {
  await using bench = await PoolBench.of({ size: 2, ahead: 1 })
  const { repo } = bench
  const path = join(repo.folder, "repo.worktrees/pool-1")
  expect(bench.entries()).toMatchObject([{ path, state: "ready", base: repo.tip("main") }])
  const inode = bench.inode(join(path, "README.md"))

  const workspace = await bench.setUp(7)

  const branch = "agent/coder/7-fix-the-typo"
  expect(workspace).toMatchObject({ worktree: path, branch, base: repo.tip("main"), fresh: true })
  expect(repo.gitIn(path, "status", "--porcelain=v2", "--branch", "--ignored")).toBe(
    `# branch.oid ${repo.tip("main")}\n# branch.head ${branch}`,
  )
  expect(bench.inode(join(path, "README.md"))).toBe(inode)
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "claimed", "pool-2": "ready" })
})

test("a task's worktree is the next one's, at another base, and what is too much is removed", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0 })
  const { repo } = bench
  const [first, second] = [await bench.setUp(7), await bench.setUp(8)]
  expect(bench.states()).toEqual({ "pool-1": "claimed", "pool-2": "claimed" })
  repo.commit({ "later.txt": "later\n" })

  await bench.tearDown(7, first)
  await bench.tearDown(8, second)
  await bench.tended()

  expect(bench.states()).toEqual({ "pool-1": "ready" })
  expect(readdirSync(join(repo.folder, "repo.worktrees"))).toEqual(["pool-1"])
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main")
  const third = await bench.setUp(9)
  expect(third).toMatchObject({ worktree: first.worktree, base: repo.tip("main") })
  expect(readFileSync(join(third.worktree, "later.txt"), "utf8")).toBe("later\n")
  expect(await bench.setUp(9, { earlier: recorded(third) })).toMatchObject({ fresh: false })
})

test("a worktree that waits goes along with the target, and one that could not yet is brought up when claimed", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 1 })
  const { repo } = bench
  repo.commit({ "a.txt": "a\n", "README.md": "changed\n" })
  bench.tend()
  await bench.tended()
  expect(bench.entries()).toMatchObject([{ state: "ready", base: repo.tip("main") }])
  repo.commit({ "b.txt": "b\n", "a.txt": null })

  const { worktree, base } = await bench.setUp(7)

  expect(base).toBe(repo.tip("main"))
  expect(readdirSync(worktree).sort()).toEqual([".git", "README.md", "b.txt"])
  expect(repo.gitIn(worktree, "status", "--porcelain", "--ignored")).toBe("")
})

test("a rule about what is ignored that changes meanwhile holds in a worktree that waits", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0, keep: ["cache"] })
  const { repo } = bench
  repo.commit({ ".gitignore": "cache/\n" })
  const first = await bench.setUp(7)
  repo.write({ "cache/kept": "kept" }, first.worktree)
  await bench.tearDown(7, first)
  await bench.tended()
  expect(existsSync(join(first.worktree, "cache/kept"))).toBe(true)

  repo.commit({ ".gitignore": "" })
  bench.tend()
  await bench.tended()
  const second = await bench.setUp(8)

  expect(second.worktree).toBe(first.worktree)
  expect(repo.gitIn(second.worktree, "status", "--porcelain", "--ignored")).toBe("")
})

test("where the branch exists already, the task has a worktree of its own, and the ready one waits", async () => {
  await using bench = await PoolBench.of({ size: 3, ahead: 1 })
  const { repo } = bench
  repo.git("branch", "agent/coder/gh-1")
  const tied = await bench.setUp(7, { workItem: "gh-1" })
  await bench.tended()
  expect(tied).toMatchObject({ branch: "agent/coder/gh-1-2" })
  expect(bench.states()).toEqual({ "pool-1": "ready", "pool-2": "claimed" })
  repo.git("branch", "agent/x")
  await expect(bench.setUp(8, { branchPattern: "agent/x/{workItem}" })).rejects.toMatchObject({
    code: "workspace.branch_clash",
  })
  expect(bench.states()["pool-1"]).toBe("ready")
})

test.each([
  ["a branch", (repo: TestRepo, path: string) => repo.gitIn(path, "checkout", "-q", "-b", "mine")],
  ["a file", (repo: TestRepo, path: string) => repo.write({ "mine.txt": "mine" }, path)],
])("%s that a person has made in a worktree that waits is left alone", async (_, work) => {
  await using bench = await PoolBench.of({ size: 2, ahead: 1 })
  const { repo } = bench
  const [{ path } = { path: "" }] = bench.entries()
  work(repo, path)
  const before = repo.gitIn(path, "status", "--porcelain", "--branch")
  repo.commit({ "later.txt": "later", ".gitignore": "later" })
  bench.tend()
  await bench.tended()
  bench.configure(undefined)
  bench.tend()
  await bench.tended()
  expect(repo.gitIn(path, "status", "--porcelain", "--branch")).toBe(before)
  expect(bench.states()).toEqual({})
})

test("what copy placed goes, also out of a folder that stays; what lies behind a link does not", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0, keep: ["kept"] })
  const { repo } = bench
  repo.commit({ ".gitignore": "kept/\n.env\n" })
  repo.write({ ".env": "SECRET=1", "kept/token": "t" })
  const first = await bench.setUp(7, { copy: [".env", "kept/token"] })
  expect(first.placed).toEqual([".env", "kept/token"])
  mkdirSync(join(repo.folder, "elsewhere"))
  writeFileSync(join(repo.folder, "elsewhere/file"), "")
  symlinkSync(join(repo.folder, "elsewhere"), join(first.worktree, "kept/link"))

  await bench.tearDown(7, first)
  await bench.tended()

  const second = await bench.setUp(8)
  expect(readdirSync(second.worktree).sort()).toEqual([".git", ".gitignore", "README.md", "kept"])
  expect(readdirSync(join(second.worktree, "kept"))).toEqual(["link"])
  expect(existsSync(join(repo.folder, "elsewhere/file"))).toBe(true)
})

test("two homes that pool into one folder at the same time have paths of their own", async () => {
  await using one = new PoolBench({ size: 2, ahead: 2 })
  await using other = new PoolBench({ size: 2, ahead: 2 }, one)
  for (const bench of [one, other]) bench.tend()
  await Promise.all([one.tended(), other.tended()])

  const paths = [...one.entries(), ...other.entries()].map(({ path }) => path)
  expect(new Set(paths).size).toBe(4)
  expect(Object.values({ ...one.states(), ...other.states() })).toEqual(Array(4).fill("ready"))
})

test("a path that was taken for a task is given back where nothing came of it", async () => {
  await using bench = new PoolBench({ size: 1, ahead: 0 })
  const folder = join(bench.repo.folder, "repo.worktrees")
  mkdirSync(folder)
  const pool = { db: bench.db, nowMs: Date.now } as Pool
  reservePath(pool, { repo: bench.repo.path, folder }, bench.addTask(7))
  expect(readdirSync(folder)).toEqual(["pool-1"])
  bench.end(7)

  bench.restart()
  bench.tend()
  await bench.tended()

  expect([bench.entries(), readdirSync(folder)]).toEqual([[], []])
})

test("a worktree that was used stays in place of one that was made ahead", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 1 })
  const first = await bench.setUp(7)
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "claimed", "pool-2": "ready" })
  await bench.tearDown(7, first)
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "ready" })
})

test("a pool that is made smaller, or taken out of the configuration, goes", async () => {
  await using bench = await PoolBench.of({ size: 2, ahead: 2 })
  expect(bench.states()).toEqual({ "pool-1": "ready", "pool-2": "ready" })
  bench.configure({ size: 1, ahead: 0 })
  bench.tend()
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "ready" })
  bench.configure(undefined)
  bench.tend()
  await bench.tended()
  expect(bench.states()).toEqual({})
  expect(bench.repo.git("worktree", "list").split("\n")).toHaveLength(1)
})

test("a tear-down that is repeated after it was cut off does not touch the next task's worktree", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0 })
  const first = await bench.setUp(7)
  await bench.tearDown(7, first)
  await bench.tended()
  const second = await bench.setUp(8)
  bench.repo.write({ "work.txt": "half done" }, second.worktree)

  const repeated = await bench.strategy.findWorkspaces(
    bench.repo.path,
    removal(bench.repo, first, []).task,
  )

  expect(repeated).toEqual([])
  expect(bench.worktreeOf(7)).toBeNull()
  expect(existsSync(join(second.worktree, "work.txt"))).toBe(true)
})
