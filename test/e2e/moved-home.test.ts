/** A repository that is moved or renamed finds its tasks again; a copy of it has its own. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const CONFIG = `version: 1
repos: { app: { gate: false } }
agents:
  sh: { runtime: command, command: [sh] }
`

/** A home whose agent waits for the file `go` in the middle of its turn. */
class Moving implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo = new TestRepo()
  readonly go = join(this.home.path, "go")
  readonly moved = join(this.repo.folder, "moved")

  constructor() {
    this.repo.commit({ "coppice.yml": CONFIG })
  }

  coppice(cwd: string, ...args: string[]) {
    return coppice(cwd, args, { env: this.home.env() })
  }

  async list(cwd: string): Promise<TasksDocument["tasks"]> {
    const { stdout, stderr } = await this.coppice(cwd, "ls", "--json")
    if (stdout === "") throw new Error(stderr)
    return TasksDocument.parse(JSON.parse(stdout)).tasks
  }

  /** Begins a task, and returns once its agent has written to its worktree. */
  async begin(): Promise<string> {
    const { path } = this.repo
    const prompt = `echo work > work.txt; until test -e ${this.go}; do sleep 0.1; done`
    const { stdout } = await this.coppice(path, "run", prompt, "-d", "--json")
    const { id } = TaskDocument.parse(JSON.parse(stdout))
    await waitFor("the work", async () => {
      const worktree = (await this.list(path)).find((one) => one.id === id)?.repos[0]?.worktree
      return worktree && existsSync(join(worktree, "work.txt"))
    })
    return id
  }

  /** Lets the agent end, and waits for its landing, in the home's new place. */
  async finish(cwd: string, id: string): Promise<TaskDocument> {
    writeFileSync(this.go, "")
    const { stdout, stderr } = await this.coppice(cwd, "watch", id, "--json")
    if (stdout === "") throw new Error(stderr)
    const task = TaskDocument.parse(JSON.parse(stdout))
    expect(task).toMatchObject({ state: "complete", reason: null })
    expect(this.repo.gitIn(cwd, "show", "main:work.txt")).toBe("work")
    return task
  }

  async pid(cwd: string): Promise<number> {
    const { stdout } = await this.coppice(cwd, "status", "--json")
    return JSON.parse(stdout).pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("a repository that is renamed under a working agent finds its tasks again, and they land [34.6]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  renameSync(it.repo.path, it.moved)
  const listed = await it.coppice(it.moved, "ls", "--json")
  expect(listed.stderr).toContain(`${it.moved} was ${it.repo.path}`)
  expect(TasksDocument.parse(JSON.parse(listed.stdout)).tasks).toMatchObject([{ id }])
  const task = await it.finish(it.moved, id)
  expect(task).toMatchObject({ state: "complete", repos: [{ path: it.moved, worktree: null }] })
  expect(
    it.repo.gitIn(it.moved, "worktree", "list", "--porcelain").match(/^worktree /gm),
  ).toHaveLength(1)
  expect(it.repo.gitIn(it.moved, "for-each-ref", "refs/coppice/home-*")).toBe("")
  expect(readdirSync(join(it.home.path, "state/coppice"))).toHaveLength(1)

  // A new repository in the old place has tasks of its own.
  using other = new TestRepo()
  cpSync(other.path, it.repo.path, { recursive: true })
  expect(await it.list(it.repo.path)).toEqual([])
  expect(await it.list(it.moved)).toHaveLength(1)
})

test.each<[string, (it: Moving) => string]>([
  [
    "with the folder around it",
    ({ repo }) => {
      const around = `${repo.folder}/around`
      mkdirSync(around)
      for (const name of ["repo", "app.worktrees"])
        renameSync(join(repo.folder, name), join(around, name))
      return join(around, "repo")
    },
  ],
  [
    "and its worktrees' folder with it",
    ({ repo, moved }) => {
      renameSync(repo.path, moved)
      renameSync(`${repo.path}.worktrees`, `${moved}.worktrees`)
      return moved
    },
  ],
])("a repository that is moved %s finds its worktrees there [34.6]", async (name, move) => {
  await using it = new Moving()
  if (name.startsWith("and")) it.repo.commit({ "coppice.yml": CONFIG.replace("app:", "repo:") })
  const id = await it.begin()
  const mine = it.repo.worktree("mine")
  it.repo.write({ "mine.txt": "mine" }, mine)
  // No daemon has a chance to end in order.
  process.kill(await it.pid(it.repo.path), "SIGKILL")
  const at = move(it)
  const [task] = await it.list(at)
  expect(task?.repos[0]).toMatchObject({ path: at })
  await waitFor("the new place of its worktree", async () => {
    const worktree = (await it.list(at))[0]?.repos[0]?.worktree
    return worktree && existsSync(worktree)
  })
  expect(await it.finish(at, id)).toMatchObject({ state: "complete" })
  expect(it.repo.gitIn(mine, "status", "--porcelain"), "a person's worktree").toBe("?? mine.txt")
})

test("a copy of a repository leaves the tasks to the original [34.7]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  cpSync(it.repo.path, it.moved, { recursive: true })
  expect(await it.list(it.moved)).toEqual([])
  expect(await it.list(it.repo.path)).toMatchObject([{ id, state: "working" }])
  expect(await it.finish(it.repo.path, id)).toMatchObject({ state: "complete" })
})

test("a home that moves to the place of an approved copy without tasks takes its own state along [34.6]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  cpSync(it.repo.path, it.moved, { recursive: true })
  expect((await it.coppice(it.moved, "trust", "--yes")).code).toBe(0)
  rmSync(it.moved, { recursive: true })
  renameSync(it.repo.path, it.moved)
  expect(await it.list(it.moved)).toMatchObject([{ id }])
  expect(readdirSync(join(it.home.path, "state/coppice"))).toHaveLength(1)
  expect(await it.finish(it.moved, id)).toMatchObject({ state: "complete" })
})

test("a home that came from another disk is taken over by a person's word alone [34.7]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  await it.coppice(it.repo.path, "down")
  cpSync(it.repo.path, it.moved, { recursive: true })
  rmSync(it.repo.path, { recursive: true })
  const refused = await it.coppice(it.moved, "ls")
  const command = `coppice up -d --moved-from ${it.repo.path}`
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(command) })
  expect((await it.coppice(it.moved, "up", "-d", "--moved-from", "/elsewhere")).code).toBe(2)
  expect(await it.coppice(it.moved, ...command.split(" ").slice(1))).toMatchObject({ code: 0 })
  expect(await it.list(it.moved)).toMatchObject([{ id }])
  expect(await it.finish(it.moved, id)).toMatchObject({ state: "complete" })
})

test("a new repository at the place of one that moved has tasks of its own, and the moved one keeps its [34.9]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  renameSync(it.repo.path, it.moved)
  using other = new TestRepo()
  cpSync(other.path, it.repo.path, { recursive: true })

  const listed = await it.coppice(it.repo.path, "ls", "--json")
  expect(TasksDocument.parse(JSON.parse(listed.stdout)).tasks).toEqual([])
  expect(listed.stderr).toContain(`${it.repo.path} is a new folder`)
  expect(await it.list(it.moved)).toMatchObject([{ id }])
  expect(await it.list(it.repo.path)).toEqual([])
  expect(await it.finish(it.moved, id)).toMatchObject({ state: "complete" })
})

test("two homes that change places keep their tasks [34.9]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  using other = new TestRepo()
  const there = `${it.repo.folder}/there`
  cpSync(other.path, there, { recursive: true })
  expect(await it.list(there)).toEqual([])
  renameSync(it.repo.path, it.moved)
  renameSync(there, it.repo.path)
  renameSync(it.moved, there)
  expect(await it.list(it.repo.path)).toEqual([])
  expect(await it.list(there)).toMatchObject([{ id }])
  expect(await it.finish(there, id)).toMatchObject({ state: "complete" })
})

test("a repository that is restored from a copy at the same place keeps its tasks [34.9]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  await it.coppice(it.repo.path, "down")
  cpSync(it.repo.path, it.moved, { recursive: true })
  rmSync(it.repo.path, { recursive: true })
  cpSync(it.moved, it.repo.path, { recursive: true })
  expect(await it.list(it.repo.path)).toMatchObject([{ id }])
})

test("uninstall in a new repository at the place of one that moved removes nothing of it [34.9]", async () => {
  await using it = new Moving()
  const id = await it.begin()
  renameSync(it.repo.path, it.moved)
  using other = new TestRepo()
  cpSync(other.path, it.repo.path, { recursive: true })
  const refused = await it.coppice(it.repo.path, "uninstall", "--yes")
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("is a new folder") })
  expect(await it.list(it.repo.path)).toEqual([])
  const all = await it.coppice(it.repo.path, "uninstall", "--all-homes", "--dry-run")
  expect(all.stdout).toContain("the folder of this home is gone")
  expect(await it.list(it.moved)).toMatchObject([{ id }])
})
