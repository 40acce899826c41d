/** What a process that was killed leaves of a pool, at each instant between its effects, and what becomes of it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import type { TaskId } from "../../core/ids.ts"
import { claimPoolEntry } from "../../store/pool/claim.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import { recordMade } from "../../store/task-repos/record-made.ts"

const TASK = 7 as TaskId
const HOME = "/home/of/this/test"
const BRANCH = "agent/coder/7-fix-the-typo"

type Cut = (bench: PoolBench, dir: string) => void

const mark = (dir: string, task: number | null) =>
  writeFileSync(join(dir, "coppice.json"), JSON.stringify({ home: HOME, task }))
const headTo = (dir: string, ref: string) => writeFileSync(join(dir, "HEAD"), `ref: ${ref}\n`)

const CLAIM: readonly (readonly [string, Cut])[] = [
  ["the row", () => {}],
  ["the mark", (_, dir) => mark(dir, 7)],
  [
    "HEAD",
    (_, dir) => {
      mark(dir, 7)
      headTo(dir, `refs/heads/${BRANCH}`)
    },
  ],
  [
    "the branch",
    ({ repo }, dir) => {
      mark(dir, 7)
      headTo(dir, `refs/heads/${BRANCH}`)
      repo.git("update-ref", `refs/heads/${BRANCH}`, "main")
    },
  ],
]

test.each(CLAIM)("a claim that was cut off behind %s is gone on with", async (_, cut) => {
  await using bench = await PoolBench.of({ size: 1, ahead: 1 })
  const { repo } = bench
  const [entry] = bench.entries()
  const dir = repo.gitIn(entry!.path, "rev-parse", "--absolute-git-dir")
  bench.addTask(7)
  expect(
    claimPoolEntry(bench.db, { ...entry!, task: TASK, base: repo.tip("main") }, 0),
  ).toBeDefined()
  recordMade(bench.db, { task: TASK, name: "app", branch: BRANCH, at: repo.tip("main") })
  cut(bench, dir)
  bench.restart()
  bench.tend()
  await bench.tended()

  const workspace = await bench.setUp(7)

  expect(workspace).toMatchObject({ worktree: entry!.path, branch: BRANCH, base: repo.tip("main") })
  expect(repo.gitIn(entry!.path, "status", "--porcelain=v2", "--branch")).toBe(
    `# branch.oid ${repo.tip("main")}\n# branch.head ${BRANCH}`,
  )
})

test("a branch that somebody made while a claim was cut off is theirs, and stays where it is", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 1 })
  const { repo } = bench
  const [entry] = bench.entries()
  const dir = repo.gitIn(entry!.path, "rev-parse", "--absolute-git-dir")
  bench.addTask(7)
  claimPoolEntry(bench.db, { ...entry!, task: TASK, base: repo.tip("main") }, 0)
  mark(dir, 7)
  headTo(dir, `refs/heads/${BRANCH}`)
  const theirs = repo.commit({ "theirs.txt": "t" }, "theirs", repo.worktree("elsewhere"))
  repo.git("branch", BRANCH, theirs)
  bench.restart()

  const workspace = await bench.setUp(7)

  expect(workspace.branch).not.toBe(BRANCH)
  expect(repo.tip(BRANCH)).toBe(theirs)
  expect(repo.gitIn(workspace.worktree, "status", "--porcelain")).toBe("")
  expect(repo.gitIn(entry!.path, "status", "--porcelain")).toBe("")
})

test("a claim of a task that is over before it was gone on with is nobody's again", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 1 })
  const [entry] = bench.entries()
  bench.addTask(7)
  claimPoolEntry(bench.db, { ...entry!, task: TASK, base: entry!.base! }, 0)
  bench.end(7)
  bench.tend()
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-1": "ready" })
})

const LEFT: readonly (readonly [string, Cut])[] = [
  ["nothing yet", () => {}],
  ["git's folder half empty", (_, dir) => rmSync(join(dir, "index"))],
  [
    "an index that a killed git was writing",
    (_, dir) => writeFileSync(join(dir, "index.lock"), ""),
  ],
  ["files that are gone", (_, dir) => rmSync(join(folderOf(dir), "README.md"))],
]

const folderOf = (dir: string) => join(readFileSync(join(dir, "gitdir"), "utf8").trim(), "..")

test.each(LEFT)("a cleaning that was cut off with %s begins again", async (_, cut) => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0 })
  const { repo } = bench
  const first = await bench.setUp(7)
  await bench.tearDown(7, first)
  await bench.tended()
  const [entry] = bench.entries()
  recordPoolEntry(bench.db, entry!, { state: "filling" }, 0)
  repo.write({ "work.txt": "of task 7" }, first.worktree)
  cut(bench, repo.gitIn(first.worktree, "rev-parse", "--absolute-git-dir"))
  bench.restart()
  bench.tend()
  await bench.tended()

  const second = await bench.setUp(8)

  expect(second.worktree).toBe(first.worktree)
  expect(repo.gitIn(second.worktree, "status", "--porcelain", "--ignored")).toBe("")
  expect(existsSync(join(second.worktree, "README.md"))).toBe(true)
})
