/** Each mistake is one message that names the cure, and nothing is half done. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import type { ErrorDocument } from "../../src/base/errors.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice, type Outcome, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

const shared = new Fleet({ repo: { gate: false }, agents: { claude: { runtime: "claude" } } })
afterAll(() => shared[Symbol.asyncDispose]())

/** The error that a command with `--json` ended with. */
function errorOf({ code, stdout, stderr }: Outcome): ErrorDocument["error"] & { exit: unknown } {
  expect(stderr).not.toMatch(/^ +at /m)
  return { ...(JSON.parse(stdout) as ErrorDocument).error, exit: code }
}

async function refused(...args: string[]) {
  return errorOf(await shared.coppice(...args, "--json"))
}

describe("where there is no home", () => {
  test("a folder that is not a repository", async () => {
    await using home = new ScratchHome()
    const folder = join(home.path, "folder")
    mkdirSync(folder)
    const error = errorOf(await coppice(folder, ["run", "x", "--json"], { env: home.env() }))
    expect(error).toMatchObject({ exit: 2, code: "home.not_found", blame: "user" })
    expect(error.hints.join()).toContain("git init")
    expect(readdirSync(folder)).toEqual([])
    const left = readdirSync(home.path, { recursive: true }).map(String)
    // Compiled code is kept there: see "State directory" in docs/reference.md.
    const own = /^(folder|\.cache(\/coppice(\/.*)?)?)$/
    expect(left.filter((path) => !own.test(path))).toEqual([])
  })

  test("a configured folder that is not a repository", async () => {
    await using home = new ScratchHome()
    writeFileSync(join(home.path, "coppice.yml"), "version: 1\n")
    const error = errorOf(await coppice(home.path, ["run", "x", "--json"], { env: home.env() }))
    expect(error).toMatchObject({ exit: 2, code: "repo.not_git" })
    expect(error.message).toContain(home.path)
    expect(error.hints.join()).toContain(".path")
  })

  test("a repository without a commit", async () => {
    await using home = new ScratchHome()
    using repo = new TestRepo({ commit: false })
    const error = errorOf(await coppice(repo.path, ["run", "x", "--json"], { env: home.env() }))
    expect(error).toMatchObject({ exit: 2, code: "repo.no_commits" })
    expect(error.hints.join()).toContain("git commit")
    expect(readdirSync(repo.path)).toEqual([".git"])
  })
})

describe("a task that cannot be accepted", () => {
  test.each([
    [["run", "x", "--agent", "nobody"], "agent.unknown", "sh, claude"],
    [["run", "x", "--repo", "other"], "repo.unknown", "app"],
    [["run", "x", "--land", "pr"], "forge.unknown", "remote add origin"],
    [["show", "99"], "task.not_found", "coppice ls"],
    [["why", "99"], "task.not_found", "coppice ls"],
    [["logs", "99"], "task.not_found", "coppice ls"],
    [["events", "99"], "task.not_found", "coppice ls"],
    [["cancel", "no such title"], "task.not_found", "coppice ls"],
  ])("%j is refused as %s", async (args, code, hint) => {
    const error = await refused(...args)
    expect(error).toMatchObject({ exit: 2, code, blame: "user" })
    expect(error.hints.join()).toContain(hint)
  })

  test.each([
    [["run"], "needs a prompt"],
    [["run", ""], "needs a prompt"],
    [["run", " \n"], "needs a prompt"],
    [["run", "two", "words"], "one prompt"],
    [["run", "x", "--frob"], "--frob"],
    [["run", "x", "--land", "sideways"], "merge, approve, pr, none"],
    [["run", "x", "--title", ""], "--title"],
    [["show"], "one task"],
    [["ls", "all"], "no arguments"],
    [["events", "--after", "x"], "--after"],
    [["stauts"], "`status`"],
  ])("%j is refused on the command line", async (args, says) => {
    const error = await refused(...args)
    expect(error).toMatchObject({ exit: 2, code: "cli.usage", blame: "user" })
    expect([error.message, ...error.hints].join()).toContain(says)
  })

  test("a claude program that is missing", async () => {
    await using fleet = new Fleet({ agents: { claude: { runtime: "claude" } } })
    fleet.extra["COPPICE_CLAUDE"] = join(fleet.home.path, "no", "claude")
    const error = errorOf(await fleet.coppice("run", "x", "--agent", "claude", "--json"))
    expect(error).toMatchObject({ exit: 2, code: "agent.unavailable" })
    expect(error.message).toContain(fleet.extra["COPPICE_CLAUDE"])
    expect(error.hints.join()).toContain("COPPICE_CLAUDE")
    expect((await fleet.client.list()).tasks).toEqual([])
  })

  test("none of these tasks was accepted", async () => {
    expect(await shared.json(TasksDocument, ["ls"])).toEqual({ tasks: [] })
    expect(shared.leftovers()).toEqual([])
  })
})

test("a configuration with mistakes, each named with its path and what was meant [31.2]", async () => {
  await using fleet = new Fleet()
  fleet.repo.write({ "coppice.yml": "version: 1\nagents:\n  a: { runtme: command }\nlimit: {}\n" })
  const error = errorOf(await fleet.coppice("run", "x", "--json"))
  expect(error).toMatchObject({ exit: 2, blame: "user" })
  const said = [error.message, ...error.hints].join("\n")
  for (const part of ["coppice.yml", "agents.a.runtme", "`runtime`", "limit", "`limits`"])
    expect(said).toContain(part)
  const checked = errorOf(await fleet.coppice("config", "check", "--json"))
  expect(checked.message).toBe(error.message)
})

test("a configuration that changes holds for the next task; with a mistake, for none [31.2]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  expect((await fleet.json(TaskDocument, ["run", "echo 1 > 1.txt"])).state).toBe("complete")
  const pid = await fleet.pid()
  const wait = 'while [ ! -f "$STEPS/go" ]; do sleep 0.05; done; echo 2 > 2.txt'
  const id = await fleet.start(wait)
  await fleet.event(({ type, task }) => type === "turn.began" && task === id)
  fleet.repo.write({ "coppice.yml": "version: 1\nagent: {}\n" })
  const error = errorOf(await fleet.coppice("run", "x", "--json"))
  expect(error).toMatchObject({ exit: 2, blame: "user" })
  expect(error.message).toContain("agents")
  fleet.noted("go")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })

  fleet.configure({ repo: { gate: "test ! -f 3.txt" }, sh: { landing: { max_handbacks: 0 } } })
  const red = await fleet.json(TaskDocument, ["run", "echo 3 > 3.txt"], 1)
  expect(red).toMatchObject({ state: "merge_failed" })
  expect(await fleet.pid()).toBe(pid)
})

test("C21: a second daemon is refused with the address of the first [30.3]", async () => {
  const { address } = await shared.json(StatusDocument, ["up", "-d"])
  const error = errorOf(await shared.coppice("up", "--json"))
  expect(error).toMatchObject({ exit: 2, code: "daemon.running" })
  expect(error.message).toContain(address)
  expect(await shared.json(StatusDocument, ["up", "-d"])).toMatchObject({ address })
})

describe("the state directory", () => {
  test("that cannot be made is named, with the variable that moves it", async () => {
    await using fleet = new Fleet()
    fleet.repo.write({ "a-file": "" })
    const state = join(fleet.repo.path, "a-file", "state")
    fleet.extra["COPPICE_STATE"] = state
    const error = errorOf(await fleet.coppice("run", "x", "--json"))
    expect(error.exit).toBe(2)
    expect(error.message).toContain(state)
    expect(error.hints.join()).toContain("COPPICE_STATE")
  })

  test("on a disk that is full says so, and goes on when there is space", async (context) => {
    await using fleet = new Fleet({ repo: { gate: false } })
    const disk = join(fleet.home.path, "disk")
    if (!mountSmallDisk(disk)) return context.skip("no permission to mount a file system")
    fleet.extra["COPPICE_STATE"] = join(disk, "state")
    try {
      await fleet.json(StatusDocument, ["up", "-d"])
      const talk = 'while [ ! -f "$STEPS/go" ]; do echo talk; sleep 0.05; done'
      const id = await fleet.start(`${talk}; echo done > done.txt`)
      await fleet.event(({ type }) => type === "turn.began")
      const pid = await fleet.pid()
      fill(join(disk, "filler"))

      const error = errorOf(await fleet.coppice("run", "x".repeat(100_000), "--json"))
      expect(error).toMatchObject({ exit: 1, code: "store.full", blame: "world" })
      expect(error.message).toContain(disk)
      const approval = errorOf(await fleet.coppice("trust", "--revoke", "--json"))
      expect(approval).toMatchObject({ exit: 1, code: "system.refused" })
      expect(approval.message).toMatch(/trust\.json .*the disk is full/)
      rmSync(join(disk, "filler"))
      writeFileSync(join(fleet.steps, "go"), "")
      expect(await fleet.until(id)).toMatchObject({ state: "complete" })
      const task = await fleet.json(TaskDocument, ["run", "echo more > more.txt"])
      expect(task).toMatchObject({ id: "2", state: "complete" })
      expect(await fleet.pid()).toBe(pid)
    } finally {
      await fleet.coppice("down").finally(() => asRoot('umount -l "$1"', disk))
    }
  })
})

function mountSmallDisk(path: string): boolean {
  mkdirSync(path)
  try {
    asRoot('mount -t tmpfs -o size=8m tmpfs "$1"', path)
    return true
  } catch {
    return false
  }
}

/** @throws if the user who runs the tests may not do it. */
function asRoot(script: string, path: string): void {
  execFileSync("sh", ["-c", script, "sh", path], { stdio: "ignore" })
}

/** Writes until there is no space for one more byte. */
function fill(path: string): void {
  for (const size of [65_536, 4_096, 1]) {
    const dd = ["if=/dev/zero", `of=${path}`, `bs=${size}`, "oflag=append", "conv=notrunc"]
    try {
      execFileSync("dd", dd, { stdio: "ignore" })
    } catch {
      // full
    }
  }
  expect(existsSync(path) && statSync(path).size).toBeGreaterThan(0)
}
