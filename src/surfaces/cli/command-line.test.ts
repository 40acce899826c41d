import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { commandLine } from "../../../test/support/command-line.ts"
import { DaemonDouble, taskDocument } from "../../../test/support/daemon-double.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { TOPICS } from "./topics.ts"

let repo: TestRepo
let daemon: DaemonDouble

beforeEach(async () => {
  repo = new TestRepo()
  daemon = await new DaemonDouble().start(repo.path)
})

afterEach(async () => {
  await daemon[Symbol.asyncDispose]()
  repo[Symbol.dispose]()
})

function coppice(...args: string[]) {
  const env = { COPPICE_STATE: daemon.stateRoot, PATH: process.env["PATH"] ?? "" }
  return commandLine({ cwd: repo.path, env }, ...args)
}

describe("a command line", () => {
  test("without a command prints the commands", async () => {
    expect(await coppice("--help")).toMatchObject({ exitCode: 0, stdout: /run .*watch it/ })
    expect(await coppice()).toMatchObject({ exitCode: 2, stdout: /Usage: coppice/ })
    for (const half of ["agent", "config"])
      expect(await coppice(half, "--help")).toMatchObject({
        exitCode: 0,
        stdout: new RegExp(`Usage: coppice ${half} <command>.*${half} (brief|check) `, "s"),
      })
  })

  test("prints version and help as documents with --json", async () => {
    const version = await coppice("--version", "--json")
    expect(version).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(version.stdout)).toEqual({
      version: (await coppice("--version")).stdout.trim(),
    })
    for (const args of [["--help"], ["ls", "--help"]]) {
      const { exitCode, stdout, stderr } = await coppice(...args, "--json")
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
      expect(JSON.parse(stdout)).toEqual({ help: (await coppice(...args)).stdout.trimEnd() })
    }
    const none = await coppice("--json")
    expect(none.exitCode).toBe(2)
    expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: "cli.usage" } })
  })

  test("knows -v, version, and the topics of help [35.10]", async () => {
    const { stdout: version } = await coppice("--version")
    for (const word of ["-v", "-V", "version"])
      expect(await coppice(word)).toMatchObject({ exitCode: 0, stdout: version })
    for (const { name, summary } of TOPICS)
      expect((await coppice("help", name)).stdout).toContain(summary)
    for (const [word, meant] of [
      ["lading", "landing"],
      ["exit", "exit-codes"],
    ] as const)
      expect(await coppice("help", word)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(`no topic \`${word}\`; did you mean \`${meant}\`?`),
      })
    expect((await coppice("help", "lst")).stderr).toContain("did you mean `ls`?")
    expect((await coppice("help", "landing")).stdout).toMatch(/replays the work[^]*\n {2}undo /)
    const topic = await coppice("help", "worktrees")
    expect(topic).toMatchObject({ exitCode: 0, stdout: /worktree add/ })
    expect(topic.stdout).not.toContain("doctor")
    expect(await coppice("help", "land")).toMatchObject({
      exitCode: 0,
      stdout: /Usage: coppice land/,
    })
  })

  test("suggests the right name when refused", async () => {
    const told = (stderr: RegExp) => ({ exitCode: 2, stdout: "", stderr })
    expect(await coppice("lst")).toMatchObject(told(/no command `lst`; did you mean `ls`/))
    expect(await coppice("ls", "--jsno")).toMatchObject(
      told(/no option --jsno; did you mean --json\?\n {2}`coppice \w+ --help` lists its options/),
    )
    for (const [word, meant] of [
      ["list", "ls"],
      ["rm", "delete"],
      ["stop", "pause`, `cancel` or `down"],
      ["merge", "land"],
    ] as const)
      expect(await coppice(word)).toMatchObject(told(new RegExp(`did you mean \`${meant}\``)))
    expect(await coppice("show")).toMatchObject(told(/`show` takes one task/))
    expect(await coppice("ls", "x")).toMatchObject(told(/`ls` takes no arguments/))
    expect(await coppice("config")).toMatchObject(told(/a second word\.\n.*`config check`/))
    expect(await coppice("config", "chek")).toMatchObject(
      told(/no command `config chek`\.\n.*`config check`/),
    )
    expect(await coppice("run", "--agent")).toMatchObject(told(/: --agent needs a value\./))
    expect(await coppice("logs", "-f=1")).toMatchObject(told(/: There is no option/))
    expect(await coppice("ls", "--watch=1")).toMatchObject(told(/: --watch takes no value\./))
  })

  test("takes the options of all commands before the command, too", async () => {
    const before = await coppice("--home", repo.path, "--json", "ls")
    expect(before).toMatchObject({ exitCode: 0, stdout: /"tasks": \[\]/ })
  })

  test("prints every error as a document with --json, and nothing else on stdout [35.2]", async () => {
    const error = {
      code: "task.not_found",
      blame: "user",
      message: "There is no task 9.",
      hints: ["coppice ls"],
    }
    const missing = await coppice("show", "9", "--json")
    expect(missing).toMatchObject({ exitCode: 2, stderr: "" })
    expect(JSON.parse(missing.stdout)).toEqual({ error })

    const misused = await coppice("show", "--json", "--nope")
    expect(misused.exitCode).toBe(2)
    expect(JSON.parse(misused.stdout)).toMatchObject({ error: { code: "cli.usage" } })
  })

  test("prints every error as a sentence and its hints without --json", async () => {
    const said = await coppice("show", "9")
    expect(said).toMatchObject({ exitCode: 2, stdout: "" })
    expect(said.stderr).toBe("coppice: There is no task 9.\n  coppice ls\n")
  })
})

describe("ls", () => {
  test("prints a table, what needs a person first", async () => {
    daemon.tasks.push(taskDocument("1", "Fix the parser", "working"))
    daemon.tasks.push({
      ...taskDocument("22", "Add a test", "stuck"),
      attention: true,
      reason: { code: "failed", text: "exit 1" },
    })
    const { stdout } = await coppice("ls")
    expect(stdout.split("\n").map((line) => line.split(/\s{2,}/))).toEqual([
      ["ID", "STATE", "AGENT", "FOR", "COST", "TITLE", "WHAT"],
      ["needs you (1)"],
      ["22", "✗ stuck", "claude", expect.any(String), "-", "Add a test", "exit 1"],
      ["running (1)"],
      ["1", "● working", "claude", expect.any(String), "-", "Fix the parser"],
      [""],
    ])
  })

  test("a column names the work items, if a task has one", async () => {
    daemon.tasks.push(taskDocument("1", "Fix the parser", "working"))
    daemon.tasks.push({ ...taskDocument("2", "Add a test", "working"), workItem: "gh-17" })
    const { stdout } = await coppice("ls")
    expect(stdout).toMatch(/COST {2}ITEM {3}TITLE/)
    expect(stdout).toMatch(/^1 .* - {12}Fix the parser$/m)
    expect(stdout).toMatch(/^2 .* - {5}gh-17 {2}Add a test$/m)
  })

  test("a narrow terminal cuts titles before the words after them", async () => {
    const reason = { code: "failed", text: "exit 1" }
    daemon.tasks.push({ ...taskDocument("1", "Make the parser say more", "stuck"), reason })
    for (const columns of [40, 60]) {
      let said = ""
      const stdout = { isTTY: true, columns, write: (text: string) => (said += text) }
      const env = { COPPICE_STATE: daemon.stateRoot, NO_COLOR: "1" }
      await commandLine({ cwd: repo.path, env, stdout }, "ls")
      const line = said.split("\n").find((text) => text.startsWith("1 "))!
      expect(line).toMatch(/ Make.*… {2}exit 1$/)
      expect(line.length).toBeLessThanOrEqual(columns)
    }
  })

  test("does not pass on terminal codes in a title", async () => {
    daemon.tasks.push(taskDocument("1", "a\x1b[2Jb\x1b]0;title\x07c\rd\ne"))
    expect((await coppice("ls")).stdout).toContain("abcd e")
  })
})

describe("logs and events", () => {
  test("print all there is, page by page", async () => {
    daemon.tasks.push(taskDocument("1", "One"))
    for (let n = 1; n <= 7; n++) daemon.say("1", `step ${n}`)
    for (let n = 1; n <= 7; n++) daemon.happen("turn.begun", "1", { n })
    expect((await coppice("logs", "1")).stdout).toBe("1234567".replace(/./g, "step $&\n"))
    expect(JSON.parse((await coppice("logs", "1", "--json")).stdout).lines).toHaveLength(7)
    expect((await coppice("events", "1")).stdout.match(/turn\.begun/g)).toHaveLength(7)
    const after = await coppice("events", "--after", "5", "--json")
    expect(JSON.parse(after.stdout).events).toMatchObject([{ seq: 6 }, { seq: 7 }])
  })

  test("logs -f ends with its task, one document a line", async () => {
    daemon.tasks.push(taskDocument("1", "One", "working"))
    daemon.happen("task.created", "1")
    daemon.say("1", "first")
    daemon.say("1", "second")
    daemon.happen("task.finished", "1", { from: "working", to: "complete", reason: null })
    const { exitCode, stdout } = await coppice("logs", "1", "-f", "--json")
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).text)
    expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: ["first", "second"] })
  })
})

describe("why, show and the actions", () => {
  test("speak about one task", async () => {
    daemon.tasks.push(taskDocument("1", "One", "merging"))
    expect((await coppice("why", "1")).stdout).toMatch(
      /waits for a person: README.md in your checkout is modified\n/,
    )
    expect((await coppice("show", "1")).stdout).toMatch(/^1 {2}One\n {2}state +◆ merging\n/)
    expect((await coppice("restart", "1", "-d")).stdout).toBe("Task 1 (One): ◆ merging\n")
    expect(daemon.requests.at(-1)).toBe("POST /tasks/1/restart")
    expect(JSON.parse((await coppice("cancel", "1", "--json")).stdout)).toMatchObject({ id: "1" })
  })
})

describe("the daemon's commands", () => {
  test("status shows whether the daemon runs", async () => {
    expect((await coppice("status")).stdout).toMatch(/runs \(pid \d+\), up 1m\n/)
    await daemon.stop()
    expect(await coppice("status")).toMatchObject({ exitCode: 0, stdout: /not running/ })
  })

  test("up runs the daemon of this home; -d starts it in the background", async () => {
    expect((await coppice("up")).daemons).toMatchObject([{ home: repo.path, fromCommand: false }])
    const { daemons } = await coppice("up", "--from-command")
    expect(daemons).toMatchObject([{ home: repo.path, fromCommand: true }])
    expect(await coppice("up", "-d")).toMatchObject({ daemons: [], stdout: /runs/ })
  })

  test("up in the foreground says in one document that it is ready", async () => {
    const { exitCode, stdout } = await coppice("up", "--json")
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ running: true, home: repo.path })
  })

  test("an agent may neither run up and init nor change a task [9.1]", async () => {
    const env = { COPPICE_STATE: daemon.stateRoot, COPPICE_TASK: "1", COPPICE_JOB: "1" }
    for (const command of ["up", "init"]) {
      const said = await commandLine({ cwd: repo.path, env }, command)
      expect(said).toMatchObject({ exitCode: 2, daemons: [], stderr: /report and do not decide/ })
    }
  })

  test("down says whether there was one", async () => {
    await daemon.stop()
    expect((await coppice("down")).stdout).toBe("No daemon was running.\n")
  })
})

describe("init, config check and doctor", () => {
  test("init writes a valid file once and never overwrites", async () => {
    expect((await coppice("init")).stdout).toMatch(
      /^Wrote .*coppice\.yml, with what was detected:\n +target +main\n +setup +none\n/,
    )
    expect((await coppice("config", "check")).stdout).toMatch(
      /is valid: 1 repo \(repo\), 1 agent \(claude\)/,
    )
    expect(await coppice("init")).toMatchObject({ exitCode: 2, stderr: /There is one already/ })
  })

  test("config check names every problem and ends with 2", async () => {
    writeFileSync(
      join(repo.path, "coppice.yml"),
      "version: 1\nagents: { a: { modle: x, session: { timeout: 10 } } }",
    )
    const { exitCode, stdout } = await coppice("config", "check", "--json")
    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({ code: "config.invalid", blame: "user" })
    expect(stdout.match(/\n/g), "it may end a stream of lines").toHaveLength(1)
    const { stderr } = await coppice("config", "check")
    expect(stderr).toMatch(/agents\.a\.modle is not a known key: did you mean `model`/)
    expect(stderr).toMatch(/agents\.a\.session\.timeout 10 has no unit/)
  })

  test("config check names a repository that is not where it should be", async () => {
    for (const name of ["plain", "shut", "empty"]) mkdirSync(join(repo.folder, name))
    symlinkSync(".git", join(repo.folder, "shut/.git")) // leads to itself: not even root may look
    const paths =
      "here: { path: . }, gone: { path: ./gone }, plain: { path: ../plain }, shut: { path: ../shut }"
    const cloned = "{ root: ../empty, auto_clone: https://example.com/o.git }"
    const text = `version: 1\nrepos: { ${paths} }\nagents: { a: { working_directory: ${cloned} } }`
    writeFileSync(join(repo.path, "coppice.yml"), text)
    const { exitCode, stderr } = await coppice("config", "check")
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/repos\.gone\.path is not there: .*\n.*repos\.plain\.path is in no git/)
    expect(stderr).toMatch(/repos\.shut\.path cannot be read \(ELOOP\): /)
    expect(stderr).not.toMatch(/repos\.here|agents\.a/)
  })

  test("config schema prints what an editor needs, also of no repository", async () => {
    const { exitCode, stdout } = await coppice("config", "schema", "--home", "/nowhere")
    expect(exitCode).toBe(0)
    expect(Object.keys(JSON.parse(stdout).properties)).toContain("repos")
  })

  test("a coppice.yml that cannot be read is a mistake in the configuration", async () => {
    mkdirSync(join(repo.path, "coppice.yml"))
    const { exitCode, stdout } = await coppice("config", "check", "--json")
    expect(exitCode).toBe(2)
    const { error } = JSON.parse(stdout)
    expect(error).toMatchObject({ code: "config.invalid", message: /is a folder, not a file/ })
  })

  test("doctor names what is there and what is missing", async () => {
    const { stdout } = await coppice("doctor", "--json")
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] }
    const names = checks.map(({ name }) => name)
    // Another machine has other engines of containers.
    expect(names.filter((name) => !name.startsWith("containers"))).toEqual([
      "node",
      "git",
      "processes",
      "home",
      ...["state", "disk", "database"],
      ...["config", "repo", "target", "setup", "gate", "identity"],
      "trust",
      ...["claude", "login", "agents", "sandbox"],
    ])
    expect(checks.slice(0, 13).every(({ state }) => state === "ok")).toBe(true)

    writeFileSync(join(repo.path, "coppice.yml"), "version: 3")
    expect(await coppice("doctor")).toMatchObject({
      exitCode: 1,
      stdout: /✗ config .*is not valid/,
    })

    writeFileSync(join(repo.path, "coppice.yml"), "version: 1")
    writeFileSync(join(repo.path, ".git/config"), "[core]\n\trepositoryformatversion = 99\n")
    expect(await coppice("doctor")).toMatchObject({
      exitCode: 1,
      stdout: /✗ repo .*git does not use .*version.*\n.*safe\.directory/,
    })
  })
})
