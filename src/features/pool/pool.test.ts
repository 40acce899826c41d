import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { recorded } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../base/ids.ts"
import { sql } from "../../kernel/store/sql.ts"
import { recordMade } from "../../kernel/tasks/rows/task-repos/work.ts"
import { whileLeaving } from "../../kernel/workspaces/setup/made-by-set-up.ts"
import type { MadeBranch } from "../../kernel/workspaces/workspace.ts"
import { clearStrays } from "./stray-files.ts"

const BRANCH = "agent/coder/7-fix-the-typo"
const RESCUE = "refs/coppice/rescue/pool/1"

test("a worktree that was made ahead is claimed at its own path, on a new branch, without a checkout [27.2]", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const path = join(repo.folder, "repo.worktrees/pool-1")
  expect(bench.entries()).toMatchObject([{ path, state: "ready", base: repo.tip("main") }])
  const inode = bench.inode(join(path, "README.md"))

  const workspace = await bench.setUp(7)

  expect(workspace).toMatchObject({ worktree: path, branch: BRANCH, base: repo.tip("main") })
  expect(workspace).toMatchObject({ fresh: true, notices: [] })
  expect(repo.gitIn(path, "status", "--porcelain=v2", "--branch", "--ignored")).toBe(
    `# branch.oid ${repo.tip("main")}\n# branch.head ${BRANCH}`,
  )
  expect(bench.inode(join(path, "README.md"))).toBe(inode)
  await bench.tended()
  expect(bench.states()).toEqual({ "pool-2": "ready" })
  expect(await bench.setUp(7, { earlier: recorded(workspace) })).toMatchObject({ fresh: false })
})

test("a branch that git made before it failed is the task's", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  bench.addTask(7)
  const lock = repo.git("-C", "../repo.worktrees/pool-1", "rev-parse", "--git-path", "HEAD.lock")
  const made: string[] = []
  const recordBranch = ({ branch, at }: MadeBranch) => {
    recordMade(bench.db, { task: 7 as TaskId, name: "app", branch, at })
    if (made.push(branch) === 1) writeFileSync(lock, "") // git makes the branch, then moves HEAD
  }

  const { branch, worktree } = await bench.setUp(7, { recordBranch })

  expect({ branch, made }).toEqual({ branch: BRANCH, made: [BRANCH] })
  expect(basename(worktree)).not.toBe("pool-1")
  expect(repo.git("branch", "--list", "agent/*", "--format=%(refname:short)")).toBe(BRANCH)
})

test("a set-up that was cut short while it added a worktree is repeated there, though one waits in the pool", async () => {
  await using bench = await PoolBench.of(0)
  const { repo } = bench
  const { worktree } = await bench.setUp(7)
  sql(bench.db, "update task_repos set branch = null, worktree = null, base = null").run({})
  const now = repo.commit({ "new.txt": "new" })
  bench.configure(1)
  bench.tend()
  await bench.tended()

  const again = await bench.setUp(7)

  expect(again).toMatchObject({ worktree, branch: BRANCH, base: now })
  expect(bench.states()).toMatchObject({ "pool-1": "ready" })
  expect(repo.git("branch", "--list", "agent/*", "--format=%(refname:short)")).toBe(BRANCH)
})

test("nothing that a task leaves reaches the next task: no file, no socket, no pipe [27.3]", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  repo.commit({ ".gitignore": "kept/\n" })
  const first = await bench.setUp(7)
  repo.write({ "kept/token": "t" }, first.worktree)
  const server = createServer().listen(join(first.worktree, "kept/socket"))
  await bench.tearDown(7, first)
  server.close()
  bench.tend()
  await bench.tended()

  const second = await bench.setUp(8)

  expect(readdirSync(second.worktree).sort()).toEqual([".git", ".gitignore", "README.md"])
  expect(repo.git("branch", "--list", BRANCH)).toBe("")
})

test("a waiting worktree follows the target, at the latest when it is claimed [27.2]", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  repo.commit({ "a.txt": "a\n", "README.md": "changed\n" })
  bench.tend()
  await bench.tended()
  expect(bench.entries()).toMatchObject([{ state: "ready", base: repo.tip("main") }])
  repo.commit({ "b.txt": "b\n", "a.txt": null })

  const { worktree, base } = await bench.setUp(7)

  expect(worktree).toBe(join(repo.folder, "repo.worktrees/pool-1"))
  expect(base).toBe(repo.tip("main"))
  expect(readdirSync(worktree).sort()).toEqual([".git", "README.md", "b.txt"])
  expect(repo.gitIn(worktree, "status", "--porcelain", "--ignored")).toBe("")
})

test.each([
  ["moves", (r: TestRepo) => link(r, r.commit({ "later.txt": "2" }))],
  ["adds", (r: TestRepo) => link(r, r.tip("main"), "other")],
  ["removes", (r: TestRepo) => void r.git("rm", "-q", "--cached", "vendor")],
  ["describes anew", (r: TestRepo) => void r.commit({ ".gitmodules": "" })],
])(
  "a waiting worktree is replaced, not moved, when the target %s a submodule [27.2]",
  async (_, change) => {
    for (const when of ["tended", "claimed"]) {
      await using bench = await PoolBench.of(0)
      const { repo } = bench
      link(repo, repo.tip("main"))
      repo.git("commit", "-qm", "one submodule")
      bench.configure(1)
      bench.tend()
      await bench.tended()
      const before = bench.inode(join(bench.entries()[0]!.path, "README.md"))
      change(repo)
      repo.git("commit", "-qm", "another", "--allow-empty")
      if (when === "tended") {
        bench.tend()
        await bench.tended()
      }

      const { worktree, base } = await bench.setUp(7)

      expect(base).toBe(repo.tip("main"))
      expect(bench.inode(join(worktree, "README.md"))).not.toBe(before)
    }
  },
)

function link(repo: TestRepo, commit: string, path = "vendor"): void {
  repo.git("update-index", "--add", "--cacheinfo", `160000,${commit},${path}`)
}

test("the set-up runs ahead; its products stay, and its changes to tracked files are reverted [27.4]", async () => {
  await using bench = new PoolBench(1)
  const { repo } = bench
  bench.setUpAhead = async ({ worktree }) => {
    const leaving = { worktree, owner: { home: "/", task: "pool" }, placed: [] } as const
    await whileLeaving(leaving, async () => {
      repo.write({ ".venv/bin/python": "#!", "README.md": "touched\n" }, worktree)
    })
  }
  bench.tend()
  await bench.tended()

  const { worktree } = await bench.setUp(7)

  expect(readFileSync(join(worktree, "README.md"), "utf8")).toBe("hello\n")
  expect(existsSync(join(worktree, ".venv/bin/python"))).toBe(true)
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
})

test("if the branch exists, the task gets a similar name; a clash is reported, and the worktree waits on", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  repo.git("branch", "agent/x")
  await expect(bench.setUp(8, { branchPattern: "agent/x/{workItem}" })).rejects.toMatchObject({
    code: "workspace.branch_clash",
  })
  expect(bench.states()).toEqual({ "pool-1": "ready" })
  repo.git("branch", "agent/coder/gh-1")
  const tied = await bench.setUp(7, { workItem: "gh-1" })
  expect(tied).toMatchObject({ branch: "agent/coder/gh-1-2", notices: [expect.any(String)] })
  expect(tied.worktree).toBe(join(repo.folder, "repo.worktrees/pool-1"))
})

test.each([
  ["a branch", (repo: TestRepo, path: string) => repo.gitIn(path, "checkout", "-q", "-b", "mine")],
  ["a file", (repo: TestRepo, path: string) => repo.write({ "mine.txt": "mine" }, path)],
])("%s that a person has made in a worktree that waits is left alone [27.6]", async (_, work) => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [{ path } = { path: "" }] = bench.entries()
  work(repo, path)
  const before = repo.gitIn(path, "status", "--porcelain", "--branch")
  repo.commit({ "later.txt": "later", ".gitignore": "later" })
  bench.tend()
  await bench.tended()
  bench.configure(0)
  bench.tend()
  await bench.tended()
  expect(repo.gitIn(path, "status", "--porcelain", "--branch")).toBe(before)
  expect(bench.states()).toEqual({})
})

test("files that a person or an editor left in a waiting worktree are saved, and never land with the task [27.5]", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [{ path } = { path: "" }] = bench.entries()
  repo.write({ "staged.txt": "s" }, path)
  repo.gitIn(path, "add", "staged.txt")
  repo.write({ "README.md": "edited\n", "notes/mine.txt": "mine", ".README.md.swp": "x" }, path)

  const { worktree } = await bench.setUp(7)

  expect(worktree).toBe(path)
  expect(repo.gitIn(path, "status", "--porcelain", "--branch")).toBe(`## ${BRANCH}`)
  expect(repo.gitIn(path, "log", "--format=%s", "main..")).toBe("")
  const saved = ["staged.txt", "README.md", "notes/mine.txt", ".README.md.swp"]
  expect(saved.map((file) => repo.git("show", `${RESCUE}:${file}`))).toEqual([
    ...["s", "edited", "mine", "x"],
  ])
  expect(bench.rescued()).toEqual([RESCUE])
})

test("a person's repository in a waiting worktree stops the task, and stays", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [{ path } = { path: "" }] = bench.entries()
  repo.gitIn(path, "init", "--quiet", "nested")
  repo.commit({ "in.txt": "in" }, "inside", join(path, "nested"))
  await expect(bench.setUp(7)).rejects.toMatchObject({ code: "workspace.holds_repositories" })
  expect(existsSync(join(path, "nested/in.txt"))).toBe(true)
  rmSync(join(path, "nested"), { recursive: true })
  const workspace = recorded({ worktree: path, branch: BRANCH, base: repo.tip("main") } as never)
  expect(await bench.setUp(7, { earlier: workspace })).toMatchObject({ worktree: path })
  expect(bench.states()["pool-1"]).toBeUndefined()
})

test("two homes that pool into one folder at the same time have paths of their own [34.5]", async () => {
  await using one = new PoolBench(2)
  await using other = new PoolBench(2, one)
  for (const bench of [one, other]) bench.tend()
  await Promise.all([one.tended(), other.tended()])

  const paths = [...one.entries(), ...other.entries()].map(({ path }) => path)
  expect(new Set(paths).size).toBe(4)
  expect(Object.values({ ...one.states(), ...other.states() })).toEqual(Array(4).fill("ready"))
})

test("a pool that shrinks, or is removed from the configuration, is removed", async () => {
  await using bench = await PoolBench.of(2)
  expect(bench.states()).toEqual({ "pool-1": "ready", "pool-2": "ready" })
  for (const ahead of [1, 0]) {
    bench.configure(ahead)
    bench.tend()
    await bench.tended()
    expect(bench.entries()).toHaveLength(ahead)
  }
  expect(bench.repo.git("worktree", "list").split("\n")).toHaveLength(1)
  expect(bench.repo.git("for-each-ref", "refs/coppice")).toBe("")
})

test("a worktree with the index lock of a dead git waits on when the lock is gone; no task waits for that [27.7]", async () => {
  await using bench = await PoolBench.of(1)
  const { repo } = bench
  const [{ path } = { path: "" }] = bench.entries()
  const lock = join(repo.gitIn(path, "rev-parse", "--absolute-git-dir"), "index.lock")
  writeFileSync(lock, "")
  utimesSync(lock, 1_000, 1_000)
  expect((await bench.setUp(7)).worktree).toBe(join(repo.folder, "repo.worktrees/7-fix-the-typo"))
  bench.tend()
  await bench.tended()
  expect(existsSync(lock)).toBe(false)
  expect(bench.states()).toEqual({ "pool-1": "ready" })
  expect(repo.gitIn(path, "status", "--porcelain")).toBe("")
})

test.each([
  ["goes", () => {}],
  [
    "goes after its removal was cut off",
    (path: string) => rmSync(path, { recursive: true, force: true }),
  ],
])(
  "a worktree that a killed git had only begun to add %s, and another takes its place",
  async (_, cut) => {
    await using bench = await PoolBench.of(1)
    const { repo } = bench
    const path = join(repo.folder, "repo.worktrees/pool-1")
    const dir = join(repo.path, ".git/worktrees/pool-1")
    rmSync(join(path, "README.md"))
    for (const name of ["index", "logs", "ORIG_HEAD"])
      rmSync(join(dir, name), { recursive: true, force: true })
    writeFileSync(join(dir, "HEAD"), `${"0".repeat(40)}\n`)
    writeFileSync(join(dir, "locked"), "initializing\n")
    bench.db.prepare("update pool_entries set state = 'filling', base = null").run()
    cut(path)
    bench.restart()

    bench.tend()
    await bench.tended()

    expect(Object.values(bench.states())).toEqual(["ready"])
    const listed = repo.git("worktree", "list", "--porcelain")
    expect(listed).not.toMatch(/^(HEAD 0{40}|locked.*)$/m)
    expect(listed.match(/^worktree /gm)).toHaveLength(2)
  },
)

test("a person's edit in a locked worktree is not left for the agent", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("w")
  const head = repo.tip("main")
  writeFileSync(join(worktree, "README.md"), "mine")
  const lock = join(repo.gitIn(worktree, "rev-parse", "--absolute-git-dir"), "index.lock")
  writeFileSync(lock, "")

  await expect(clearStrays(worktree, { home: "/home", head })).rejects.toMatchObject({ lock })

  rmSync(lock)
  expect(await clearStrays(worktree, { home: "/home", head })).toMatchObject({
    paths: ["README.md"],
  })
  expect(readFileSync(join(worktree, "README.md"), "utf8")).toBe("hello\n")
})
