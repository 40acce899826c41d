/** Homes and repositories of every kind, and the terminal that a daemon was started from. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice, LAUNCHER, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const CONFIG = `version: 1
repos: { app: { gate: false } }
agents:
  sh: { runtime: command, command: [sh] }
`

async function run(home: ScratchHome, cwd: string, prompt: string, ...args: string[]) {
  const outcome = await coppice(cwd, ["run", prompt, "--json", ...args], { env: home.env() })
  expect(outcome).toMatchObject({ code: 0 })
  return TaskDocument.parse(JSON.parse(outcome.stdout))
}

async function status(home: ScratchHome, cwd: string) {
  const { stdout } = await coppice(cwd, ["status", "--json"], { env: home.env() })
  return StatusDocument.parse(JSON.parse(stdout))
}

test("two homes have a daemon each, and land side by side", async () => {
  await using home = new ScratchHome()
  using one = new TestRepo()
  using other = new TestRepo()
  for (const repo of [one, other]) repo.commit({ "coppice.yml": CONFIG })
  const tasks = await Promise.all([
    run(home, one.path, "echo 1 > one.txt"),
    run(home, other.path, "echo 2 > other.txt"),
  ])
  expect(tasks.map(({ id }) => id)).toEqual(["1", "1"])
  expect(one.git("show", "main:one.txt")).toBe("1")
  expect(other.git("show", "main:other.txt")).toBe("2")
  const [first, second] = [await status(home, one.path), await status(home, other.path)]
  expect([first.home, second.home]).toEqual([one.path, other.path])
  expect(first.pid).not.toBe(second.pid)
})

test("inside a linked worktree, and below, the home is that of the main one", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG, "deep/er/file": "" })
  const linked = repo.worktree("mine")
  repo.write({ "coppice.yml": "version: 2\n" }, linked)
  const task = await run(home, join(linked, "deep/er"), "echo 1 > one.txt")
  expect(task.repos).toMatchObject([{ path: repo.path, target: "main" }])
  expect(repo.git("show", "main:one.txt")).toBe("1")
  expect(repo.git("log", "--format=%s", "mine")).toBe("commit\ncommit")
  expect(await status(home, linked)).toEqual({
    ...(await status(home, repo.path)),
    uptimeS: expect.any(Number),
  })
})

test("spaces, quotes and letters of every alphabet in paths, branches and files", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })
  const clone = repo.clone("mein 'Projekt' \"ü\" 木 \u{1f333}")
  const prompt = "echo '木' > 'näive $file \"q\".txt'; mkdir -p 'a b'; echo x > 'a b/ümlaut'"
  const task = await run(home, clone, prompt, "--title", "Fix: a~b .. @{1}.lock 木")
  expect(task).toMatchObject({ state: "complete", repos: [{ path: clone, worktree: null }] })
  expect(readFileSync(join(clone, 'näive $file "q".txt'), "utf8")).toBe("木\n")
  expect(repo.gitIn(clone, "show", "main:a b/ümlaut")).toBe("x")
  expect(repo.gitIn(clone, "status", "--porcelain")).toBe("")
})

test("a bare repository", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  const bare = repo.clone("bare.git", "--bare")
  writeFileSync(join(bare, "coppice.yml"), CONFIG)
  const task = await run(home, bare, "echo 1 > one.txt")
  expect(task.repos).toMatchObject([{ path: bare, target: "main" }])
  expect(repo.gitIn(bare, "show", "main:one.txt")).toBe("1")
  expect(repo.gitIn(bare, "worktree", "list").split("\n")).toHaveLength(1)
})

test("a target that is not checked out moves, and checkouts of other branches do not change [5.1]", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  const main = repo.commit({ "coppice.yml": CONFIG })
  repo.git("switch", "--quiet", "--create", "user/work")
  repo.write({ "README.md": "edited\n", "new.txt": "untracked\n", "staged.txt": "s\n" })
  repo.git("add", "staged.txt")
  const before = repo.git("status", "--porcelain=v2", "--branch")
  await run(home, repo.path, "echo agent > README.md; echo n > new.txt")
  expect(repo.git("status", "--porcelain=v2", "--branch")).toBe(before)
  expect(readFileSync(join(repo.path, "new.txt"), "utf8")).toBe("untracked\n")
  expect(repo.tip("main~1")).toBe(main)
  expect(repo.git("show", "main:README.md")).toBe("agent")
})

test("`--home` and COPPICE_HOME lead to a home from anywhere", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })
  const elsewhere = join(home.path, "elsewhere")
  mkdirSync(elsewhere)
  const first = await run(home, elsewhere, "echo 1 > 1.txt", "--home", repo.path)
  const env = home.env({ COPPICE_HOME: repo.path })
  const shown = await coppice(elsewhere, ["show", first.id, "--json"], { env })
  expect(TaskDocument.parse(JSON.parse(shown.stdout))).toEqual(first)
})

test("Ctrl-C ends the watching, and neither the daemon nor the task [8.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const prompt = 'while [ ! -f "$STEPS/go" ]; do sleep 0.05; done; echo x > x.txt'
  const options = { cwd: fleet.repo.path, env: fleet.env, detached: true } as const
  const child = spawn(process.execPath, [LAUNCHER, "run", prompt], options)
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => said.push(text))
  await waitFor("the agent at work", () => said.join("").includes("works in"))
  const pid = await fleet.pid()

  process.kill(-child.pid!, "SIGINT") // as a terminal does: to all of the foreground
  expect(await once(child, "exit")).toEqual([1, null])
  expect(said.join("")).toContain("continues")
  expect(await fleet.pid()).toBe(pid)
  fleet.noted("go")
  expect(await fleet.until("1")).toMatchObject({ state: "complete", usage: { turns: 1 } })
})
