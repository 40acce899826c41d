/** Only a person makes Coppice run a program: with and without a terminal. */
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { connect } from "../../src/api/client/connect.ts"
import { TrustDocument } from "../../src/api/wire/home.ts"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { commandLine } from "../support/command-line.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const isRoot = process.geteuid?.() === 0

/** A clone with an unapproved coppice.yml, which would make worktrees and run programs in them. */
class Unapproved implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo = new TestRepo()
  readonly mark = join(this.home.path, "mark")

  constructor(config: object = {}) {
    const touch = `echo x >> ${this.mark}`
    const agent = { runtime: "command", command: touch, workspace: { pool: 2 } }
    const file = {
      version: 1,
      repos: { app: { setup: touch, gate: touch } },
      agents: { sh: agent },
    }
    this.repo.commit({ "coppice.yml": JSON.stringify({ ...file, ...config }) }, "configure")
  }

  run(...args: string[]) {
    return coppice(this.repo.path, args, { env: this.home.env(), trusted: false })
  }

  worktrees(): string[] {
    return globSync("app.worktrees/*", { cwd: this.repo.folder })
  }

  async [Symbol.asyncDispose]() {
    await this.home[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("reading an unapproved home runs and makes nothing; any other request is refused with the words to type [32.3]", async () => {
  await using it = new Unapproved()
  const reading = [
    ["ls"],
    ["queue"],
    ["status"],
    ["config", "check"],
    ["events"],
    ["recover"],
    ["worktree", "list"],
  ]
  for (const args of reading) expect([args, (await it.run(...args)).code]).toEqual([args, 0])
  expect((await it.run("show", "1")).code).toBe(2)
  for (const args of [
    ["run", "x"],
    ["worktree", "add", "x"],
    ["land", "main"],
    ["gc"],
    ["up", "-d"],
    ["up"],
  ]) {
    const { code, stdout, stderr } = await it.run(...args)
    expect([args, code, stdout]).toEqual([args, 2, ""])
    expect(stderr).toMatch(/coppice\.yml names what Coppice would run/)
    expect(stderr).toContain("coppice trust --yes")
  }
  const { code, stdout } = await it.run("run", "x", "--json")
  expect([code, JSON.parse(stdout).error]).toMatchObject([
    2,
    { code: "trust.needed", blame: "user" },
  ])
  // Nothing happens later either.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect([existsSync(it.mark), it.worktrees()]).toEqual([false, []])
})

test("init approves what it wrote, and no coppice.local.yml that came with the clone [32.3]", async () => {
  await using it = new Unapproved()
  const local = JSON.stringify({ repos: { app: { setup: `echo x >> ${it.mark}` } } })
  it.repo.git("rm", "--quiet", "coppice.yml")
  it.repo.commit({ "coppice.local.yml": local }, "a local file")
  const init = await it.run("init")
  expect(init.code).toBe(0)
  expect(init.stdout).toMatch(/Another configuration file counts too: `coppice trust` shows all/)
  expect(await it.run("run", "-d", "--with", "true", "x")).toMatchObject({ code: 2 })
  expect(existsSync(it.mark)).toBe(false)
})

test("`trust` shows every program with its place; approved, the daemon that waits begins [32.4]", async () => {
  await using it = new Unapproved()
  await it.run("ls")
  const shown = await it.run("trust")
  expect(shown.code).toBe(2)
  for (const words of [
    "repos.app.gate: runs echo",
    "repos.app.setup: runs echo",
    "agents.sh.command: runs echo",
    "makes 2 worktrees",
  ])
    expect(shown.stdout).toContain(words)
  expect((await it.run("run", "x")).code).toBe(2)

  const { stdout, code } = await it.run("trust", "--yes", "--json")
  expect([code, TrustDocument.parse(JSON.parse(stdout)).approved]).toEqual([0, true])
  const record = globSync(join(it.home.path, "state/coppice/*/trust.json"))
  expect(statSync(record[0]!).mode & 0o777).toBe(0o600)
  await waitFor("worktrees that are made ahead", () => it.worktrees().length > 0)
  expect((await it.run("run", "x")).code).toBe(0)
  expect(existsSync(it.mark)).toBe(true)

  expect((await it.run("trust", "--revoke")).code).toBe(0)
  expect((await it.run("run", "x")).code).toBe(2)
})

test("after a revoked approval a task says what it waits for, and goes on with the next one [32.3]", async () => {
  await using it = new Unapproved({
    agents: {
      sh: { runtime: "command", command: "test -e ~/begun || { touch ~/begun; sleep 600; }" },
    },
  })
  await it.run("trust", "--yes")
  expect((await it.run("run", "x", "--detach")).code).toBe(0)
  await waitFor("the agent", () => existsSync(join(it.home.path, "begun")))
  expect((await it.run("down")).code).toBe(0)
  await it.run("trust", "--revoke")
  const { stdout } = await it.run("why", "1")
  expect(stdout).toContain("coppice.yml is not approved")
  expect(stdout).toContain("coppice trust")
  await it.run("trust", "--yes")
  await it.run("up", "-d")
  await waitFor("the task to go on", async () =>
    (await it.run("show", "1")).stdout.includes("complete"),
  )
})

test("on a terminal the command asks, and goes on with yes alone [32.4]", async () => {
  await using it = new Unapproved()
  const line = { cwd: it.repo.path, env: it.home.env() }
  const no = await commandLine({ ...line, answers: ["n"] }, "run", "x")
  expect(no).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Approve exactly this?"),
  })
  expect(existsSync(it.mark)).toBe(false)
  const json = await commandLine({ ...line, answers: ["y"] }, "run", "x", "--json")
  expect(json).toMatchObject({ exitCode: 2 })
  const yes = await commandLine({ ...line, answers: ["y"] }, "run", "x")
  expect(yes).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("agents.sh.command") })
  expect(existsSync(it.mark)).toBe(true)
  const again = await commandLine({ ...line, answers: [] }, "run", "y")
  expect([again.exitCode, again.stderr]).toEqual([0, expect.not.stringContaining("Approve")])
})

test("an agent that removes coppice.yml changes nothing that is in force, and status, doctor and the next run say so [32.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: "true" } })
  const run = (...args: string[]) =>
    coppice(fleet.repo.path, args, { env: fleet.env, trusted: false })
  expect((await run("run", "git rm -q coppice.yml")).code).toBe(0)
  expect(existsSync(join(fleet.repo.path, "coppice.yml"))).toBe(false)
  const refused = await run("run", "true")
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("coppice.yml no longer exists"),
  ])
  expect((await run("status")).stdout).toContain("The approved one stays in force")
  expect((await run("doctor")).stdout).toContain("the approved one stays in force")
  expect((await run("trust", "--yes")).code).toBe(0)
  expect((await run("doctor")).stdout).toContain("no coppice.yml: the defaults apply")
})

test("a coppice.yml that an agent lands is not in force before a person approves it [32.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test ! -e bad" } })
  const weak = {
    version: 1,
    repos: { app: { gate: "true" } },
    agents: { sh: { runtime: "command", command: "sh" } },
  }
  const run = (...args: string[]) =>
    coppice(fleet.repo.path, args, { env: fleet.env, trusted: false })
  const client = connect({ cwd: fleet.repo.path, env: fleet.env })
  const first = await fleet.json(TaskDocument, [
    "run",
    `echo '${JSON.stringify(weak)}' > coppice.yml`,
  ])
  expect(first.state).toBe("complete")
  const refused = await run("run", "touch bad")
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("has changed since it was approved"),
  ])
  const said = await run("trust")
  expect(said.stdout).toContain('repos.app.gate: test ! -e bad → "true"')

  // A task that is under way goes on by the last approved file.
  const { tasks } = TasksDocument.parse(await client.list())
  expect(tasks).toHaveLength(1)
  expect((await run("restart", "-d", "1")).stderr).not.toContain("trust")
  rmSync(join(fleet.repo.path, "coppice.yml"))
  expect((await run("run", "touch bad")).code).toBe(2)
  fleet.repo.git("checkout", "--quiet", "HEAD~1", "--", "coppice.yml")
  expect((await run("run", "touch bad")).code).toBe(1)
})

test("a harmless coppice.yml that an agent lands in a subfolder is no home before a person approves it [32.13]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test ! -e bad" } })
  const { path } = fleet.repo
  const land = "mkdir sub; echo 'version: 1' > sub/coppice.yml"
  expect(await fleet.json(TaskDocument, ["run", land])).toMatchObject({ state: "complete" })
  const run = (...args: string[]) =>
    coppice(join(path, "sub"), args, { env: fleet.env, trusted: false })
  const refused = await run("run", "--with", "sh -c 'touch bad'", "x")
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`makes a home of its own inside that of ${path}, and no person`),
  ])
  expect((await run("trust")).stdout).toContain(
    `home: its own, inside the home ${path}, whose gate`,
  )
  expect((await run("trust", "--yes")).code).toBe(0)
  expect((await run("up", "-d")).code).toBe(0)
})

test("inside a task nothing is approved [32.6]", async () => {
  await using it = new Unapproved()
  for (const inside of [{ COPPICE_TASK: "1", COPPICE_JOB: "1" }, { COPPICE_PROCESS: "home:1" }]) {
    const env = it.home.env(inside)
    for (const args of [
      ["trust", "--yes"],
      ["config", "set", "limits.concurrent", "9"],
      ["trust", "--revoke"],
    ])
      expect(await coppice(it.repo.path, args, { env, trusted: false })).toMatchObject({
        code: 2,
        stdout: "",
      })
  }
  expect((await it.run("run", "x")).code).toBe(2)
})

test("programs of the repository's own git configuration run once a person approved them, and as approved [14.3, 32.5]", async () => {
  await using it = new Unapproved({
    repos: { app: { gate: "true" } },
    agents: { sh: { runtime: "command", command: "echo new > a.txt" } },
  })
  it.repo.commit({ ".gitattributes": "*.txt filter=x\n" }, "attributes")
  it.repo.git("config", "filter.x.clean", `sed s/new/${"cleaned"}/`)
  const pending = await it.run("run", "x")
  expect([pending.code, pending.stderr]).toEqual([2, expect.stringContaining("coppice.yml")])
  const shown = await it.run("trust", "--yes")
  expect(shown.stdout).toContain("filter.x.clean: sed s/new/cleaned/")
  expect((await it.run("run", "x")).code).toBe(0)
  expect(it.repo.git("show", "main:a.txt")).toBe("cleaned")

  it.repo.git("config", "filter.x.clean", `touch ${it.mark}; cat`)
  await it.run("run", "echo other > a.txt")
  expect(existsSync(it.mark)).toBe(false)
  expect((await it.run("trust")).code).toBe(2)
})

test("a first task waits for a person where only git's configuration names a program [32.5]", async () => {
  await using it = new Unapproved()
  it.repo.commit({ "coppice.yml": "version: 1\n" }, "harmless")
  it.repo.git("config", "core.sshCommand", `touch ${it.mark}`)
  const { code, stderr } = await it.run("worktree", "add", "x")
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/itself names programs, .*\(core\.sshcommand\)/),
  ])
  it.repo.git("config", "filter.a\u202eb.clean", "x")
  expect((await it.run("trust")).stdout).toContain("filter.a\\u{202e}b.clean: x")
})

test.skipIf(!isRoot)("a coppice.yml of another user is not used (as root) [32.7]", async () => {
  await using it = new Unapproved()
  const file = join(it.repo.path, "coppice.yml")
  chownSync(file, 65534, 65534)
  for (const args of [["ls"], ["run", "x"], ["trust", "--yes"]]) {
    const { code, stderr } = await it.run(...args)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("belongs to another user (uid 65534)"),
    ])
  }
  expect(existsSync(it.mark)).toBe(false)
})

/** Where other users may look, too: the folders of other tests are their owner's alone. */
const OTHER = { uid: 54321, folder: "/tmp" }

test.skipIf(!isRoot)(
  "a user without a name in the system's list has a daemon like any other (as root) [31.6]",
  () => {
    using scratch = mkdtempDisposableSync(join(OTHER.folder, "coppice-nameless-"))
    chmodSync(scratch.path, 0o755)
    const [home, repo] = [join(scratch.path, "home"), join(scratch.path, "repo")]
    for (const folder of [home, repo]) mkdirSync(folder)
    const agent = { runtime: "command", command: "echo new > new.txt" }
    const config = { version: 1, repos: { app: { gate: "true" } }, agents: { sh: agent } }
    writeFileSync(join(repo, "coppice.yml"), JSON.stringify(config))
    const env = { PATH: process.env["PATH"], HOME: home }
    const launcher = join(import.meta.dirname, "../../bin/coppice.js")
    const as = (program: string, ...args: string[]) => {
      const user = ["--reuid", OTHER.uid, "--regid", OTHER.uid, "--clear-groups"].map(String)
      const options = { cwd: repo, env, encoding: "utf8" } as const
      return spawnSync("setpriv", [...user, program, ...args], options)
    }
    execFileSync("chown", ["-R", `${OTHER.uid}:${OTHER.uid}`, scratch.path])
    const identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    as("git", "init", "--quiet", "--initial-branch=main")
    as("git", "config", "user.name", "n")
    as("git", "config", "user.email", "n@example.com")
    as("git", "add", "--all")
    as("git", ...identity, "commit", "--quiet", "--message", "M1")
    const coppiceAs = (...args: string[]) => as(process.execPath, launcher, ...args)
    try {
      expect(coppiceAs("trust", "--yes")).toMatchObject({ status: 0 })
      expect(coppiceAs("run", "x")).toMatchObject({ status: 0 })
    } finally {
      expect(coppiceAs("down")).toMatchObject({ status: 0 })
    }
  },
)
