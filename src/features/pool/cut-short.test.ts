/** Remains of a pool after a kill between any two of its effects, and what becomes of them. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import type { TaskId } from "../../base/ids.ts"
import { keepingGits } from "../../kernel/git/start/trace-commands.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { KEPT_EVENT } from "../../kernel/tasks/rows/list-due.ts"
import { recordMade } from "../../kernel/tasks/rows/task-repos/work.ts"
import { recordWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import { abandonClaims, claimPoolEntry, recordPoolEntry } from "./rows/record.ts"

const TASK = 7 as TaskId
const BRANCH = "agent/coder/7-fix-the-typo"

type Cut = (bench: PoolBench, worktree: string) => void

const recordIt: Cut = ({ db, repo }) =>
  recordMade(db, { task: TASK, name: "app", branch: BRANCH, at: repo.tip("main") })

const CLAIM: readonly (readonly [string, Cut])[] = [
  ["the row", () => {}],
  ["the new base", ({ repo }, path) => repo.gitIn(path, "switch", "-q", "--detach", "main")],
  ["the record of the branch", recordIt],
  [
    "the branch",
    (bench, path) => {
      recordIt(bench, path)
      bench.repo.git("branch", BRANCH, "main")
    },
  ],
  [
    "HEAD",
    (bench, path) => {
      recordIt(bench, path)
      bench.repo.gitIn(path, "switch", "-q", "--detach", "main")
      bench.repo.gitIn(path, "switch", "-q", "-c", BRANCH)
    },
  ],
]

test.each(CLAIM)("a claim that was cut off after %s is continued [27.7]", async (_, cut) => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [entry] = bench.entries()
  repo.commit({ "later.txt": "later\n" })
  bench.addTask(7)
  const claim = { ...entry!, task: TASK, base: repo.tip("main") }
  expect(claimPoolEntry(bench.db, claim, 0)).toBeDefined()
  cut(bench, entry!.path)
  bench.restart()
  bench.tend()
  await bench.tended()

  const workspace = await bench.setUp(7)

  expect(workspace).toMatchObject({ worktree: entry!.path, branch: BRANCH, base: repo.tip("main") })
  expect(repo.gitIn(entry!.path, "status", "--porcelain=v2", "--branch")).toBe(
    `# branch.oid ${repo.tip("main")}\n# branch.head ${BRANCH}`,
  )
})

test("a claim that was cut off, and is given up while it waits for the lock, goes with its branch", async () => {
  await using bench = await PoolBench.of(1)
  const [entry] = bench.entries()
  const repo = bench.repo.path
  bench.addTask(7)
  claimPoolEntry(bench.db, { ...entry!, task: TASK, base: entry!.base! }, 0)
  recordIt(bench, entry!.path)
  const own = { path: entry!.path, repo, purpose: "task", task: TASK, branch: BRANCH } as const
  recordWorktree(bench.db, own)
  bench.repo.gitIn(entry!.path, "switch", "-q", "-c", BRANCH)
  bench.restart()

  await expect(bench.setUp(7, { signal: AbortSignal.abort() })).rejects.toThrow()

  const found = await bench.strategy.findWorkspaces(repo, TASK)
  expect(found).toEqual([{ worktree: entry!.path, branch: BRANCH }])
})

test("a branch that a person made while a claim was cut off is theirs, and stays in place", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [entry] = bench.entries()
  bench.addTask(7)
  claimPoolEntry(bench.db, { ...entry!, task: TASK, base: repo.tip("main") }, 0)
  recordIt(bench, entry!.path)
  const theirs = repo.commit({ "theirs.txt": "t" }, "theirs", repo.worktree("elsewhere"))
  repo.git("branch", BRANCH, theirs)
  bench.restart()

  const workspace = await bench.setUp(7)

  expect(workspace.branch).toBe(`${BRANCH}-2`)
  expect(repo.tip(BRANCH)).toBe(theirs)
  expect(repo.gitIn(workspace.worktree, "status", "--porcelain")).toBe("")
})

test("an interrupted claim of a task that is over is removed, and its work saved", async () => {
  await using bench = await PoolBench.of(1)
  const [entry] = bench.entries()
  bench.addTask(7)
  claimPoolEntry(bench.db, { ...entry!, task: TASK, base: entry!.base! }, 0)
  bench.repo.write({ "mine.txt": "mine" }, entry!.path)
  bench.end(7)
  bench.tend()
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "ready" })
  expect(existsSync(join(entry!.path, "mine.txt"))).toBe(false)
  expect(bench.repo.git("show", "refs/coppice/rescue/pool/1:mine.txt")).toBe("mine")
})

test("a claim is its task's until that is over and cleaned up; from then on only the pool removes it [4.1]", async () => {
  await using bench = await PoolBench.of(1)
  const { db, repo } = bench
  const [entry] = bench.entries()
  const { path } = entry!
  bench.addTask(7)
  startJob(db, TASK, 0)
  claimPoolEntry(db, { ...entry!, task: TASK, base: entry!.base! }, 0)
  bench.end(7) // while its set-up goes on
  bench.tend()
  await bench.tended()
  expect(bench.states()).toMatchObject({ "pool-1": "claimed" })
  expect(await bench.strategy.findWorkspaces(repo.path, TASK)).toMatchObject([{ worktree: path }])

  appendEvent(db, { type: KEPT_EVENT, task: TASK, data: {} }, 0)
  abandonClaims(db, entry!, 0)

  expect(bench.states()).toMatchObject({ "pool-1": "abandoned" })
  expect(await bench.strategy.findWorkspaces(repo.path, TASK)).toEqual([])
  bench.tend()
  await bench.tended()
  expect(bench.entries()).toMatchObject([{ state: "ready" }])
})

const gitDirOf = ({ repo }: PoolBench, worktree: string) =>
  repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")

/** As after SIGKILL of daemon and git in the middle of the checkout. */
const halfFill: Cut = (bench, worktree) => {
  const dir = gitDirOf(bench, worktree)
  rmSync(join(dir, "index"))
  writeFileSync(join(dir, "index.lock"), "")
  writeFileSync(join(dir, "coppice-checkout.json"), JSON.stringify({ pid: 0 }))
  writeFileSync(join(worktree, "README.md"), "hel")
}

const LEFT: readonly (readonly [string, Cut, string[]])[] = [
  ["nothing amiss", () => {}, []],
  [
    "an index lock and no index",
    (bench, path) => {
      halfFill(bench, path)
      rmSync(join(path, "README.md"))
    },
    [],
  ],
  ["a torn file", halfFill, ["README.md"]],
  [
    "a torn file and one of a person's",
    (bench, path) => {
      halfFill(bench, path)
      writeFileSync(join(path, "mine.txt"), "mine")
    },
    ["README.md", "mine.txt"],
  ],
  [
    "a lock over a full index",
    (bench, path) => {
      writeFileSync(join(gitDirOf(bench, path), "index.lock"), "")
    },
    [],
  ],
]

test.each<[string, (dir: string, path: string) => void]>([
  ["no commondir yet", (dir) => writeFileSync(join(dir, "HEAD"), `${"0".repeat(40)}\n`)],
  [
    "an empty commondir",
    (dir) => {
      writeFileSync(join(dir, "HEAD"), `${"0".repeat(40)}\n`)
      writeFileSync(join(dir, "commondir"), "")
    },
  ],
  ["an empty .git file", (_, path) => writeFileSync(join(path, ".git"), "")],
])("a worktree whose record git had only begun to write, with %s, is replaced", async (_, cut) => {
  await using bench = await PoolBench.of(1)
  const [entry] = bench.entries()
  const { path } = entry!
  recordPoolEntry(bench.db, entry!, { state: "filling", base: null }, 0)
  const dir = gitDirOf(bench, path)
  for (const name of readdirSync(path))
    if (name !== ".git") rmSync(join(path, name), { recursive: true })
  for (const name of readdirSync(dir))
    if (name !== "gitdir") rmSync(join(dir, name), { recursive: true })
  cut(dir, path)
  writeFileSync(join(dir, "locked"), "initializing")
  bench.restart()
  bench.tend()
  await bench.tended()

  expect(bench.states()).toEqual({ "pool-1": "ready" })
  expect(bench.repo.git("worktree", "list").split("\n")).toHaveLength(2)
})

test.each(LEFT)(
  "a worktree that was being made when all died, with %s, is replaced [27.7]",
  async (_, cut, saved) => {
    await using bench = await PoolBench.of(1)
    const { repo } = bench
    const [entry] = bench.entries()
    recordPoolEntry(bench.db, entry!, { state: "filling", base: null }, 0)
    cut(bench, entry!.path)
    bench.restart()
    bench.tend()
    await bench.tended()

    expect(bench.states()).toEqual({ "pool-1": "ready" })
    const { worktree } = await bench.setUp(8)
    expect(repo.gitIn(worktree, "status", "--porcelain", "--ignored")).toBe("")
    expect(readFileSync(join(worktree, "README.md"), "utf8")).toBe("hello\n")
    const rescues = bench.rescued()
    expect(rescues.flatMap((ref) => repo.git("ls-tree", "--name-only", ref).split("\n"))).toEqual(
      saved,
    )
  },
)

test("a worktree that git had only begun is replaced, and gets no index on the way", async () => {
  await using bench = await PoolBench.of(1)
  const [entry] = bench.entries()
  const { path } = entry!
  recordPoolEntry(bench.db, entry!, { state: "filling", base: null }, 0)
  const dir = gitDirOf(bench, path)
  const files = readdirSync(path).filter((name) => name !== ".git")
  for (const name of files) rmSync(join(path, name), { recursive: true })
  for (const name of ["index", "coppice-made-here"]) rmSync(join(dir, name))
  bench.restart()
  const gits: string[] = []
  const tend = async () => {
    bench.tend()
    await bench.tended()
  }
  await keepingGits((lines) => gits.push(...lines), tend)
  expect(gits.filter((line) => /git read-tree [0-9a-f]{40}/.test(line))).toEqual([])
  expect(gits.join("\n")).toMatch(/git worktree remove/)
  expect(bench.states()).toEqual({ "pool-1": "ready" })
})

test("a worktree on a branch, which another home has made at the path of a dead row, stays", async () => {
  await using bench = await PoolBench.of(1)
  const [entry] = bench.entries()
  recordPoolEntry(bench.db, entry!, { state: "filling", base: null }, 0)
  bench.repo.gitIn(entry!.path, "switch", "--quiet", "--create", "of-another-home")
  bench.restart()
  bench.tend()
  await bench.tended()
  expect(existsSync(join(entry!.path, "README.md"))).toBe(true)
  expect(bench.states()).toEqual({ "pool-2": "ready" })
})

test("a worktree that cannot be recorded, as on a full disk, leaves no folder", async () => {
  await using bench = await PoolBench.of(1)
  bench.db.exec(`create trigger full before insert on pool_entries
    begin select raise(abort, 'database or disk is full'); end`)
  const errors: unknown[] = []
  bench.onError = (error) => errors.push(error)
  await bench.setUp(7)
  bench.tend()
  await bench.tended()
  expect(String(errors)).toMatch("database or disk is full")
  expect(bench.states()).toEqual({})
  expect(readdirSync(join(bench.repo.folder, "repo.worktrees"))).toEqual(["pool-1"])
})
