import { afterEach, beforeEach, expect, test } from "vitest"
import { type CommandLine, commandLine } from "../../../../test/support/command-line.ts"
import { DaemonDouble } from "../../../../test/support/daemon-double.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"

let repo: TestRepo
let daemon: DaemonDouble
let line: CommandLine

beforeEach(async () => {
  repo = new TestRepo()
  daemon = await new DaemonDouble().start(repo.path)
  line = { cwd: repo.path, env: { COPPICE_STATE: daemon.stateRoot } }
})

afterEach(async () => {
  await daemon[Symbol.asyncDispose]()
  repo[Symbol.dispose]()
})

/** The task is watched: its events and its log. */
const watched = () => waitFor("the task to be watched", () => daemon.followers === 2)

async function complete(): Promise<void> {
  await watched()
  daemon.happen("task.started", "1", { from: "registered", to: "working", reason: null })
  daemon.happen("workspace.ready", "1", {
    worktree: "/w/1",
    branch: "agent/1",
    notices: ["no .env"],
  })
  daemon.say("1", "Bash: npm test", "tool")
  daemon.say("1", "Fixed.")
  daemon.happen("gate.started", "1", { command: "npm test" })
  daemon.happen("gate.finished", "1", { command: "npm test", exitCode: 0, durationMs: 2500 })
  daemon.happen("task.landed", "1", { from: "merging", to: "complete", reason: null })
}

test("says what it took, what happens, and how it ended [3.8]", async () => {
  const [{ exitCode, stdout, stderr }] = await Promise.all([
    commandLine(line, "run", "Fix the parser"),
    complete(),
  ])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  expect(stdout).toMatch(/gate +none: nothing is tested\n {2}lands +on the target, automatically/)
  const steps = [
    /working/,
    /works in \/w\/1 on agent\/1/,
    /no \.env/,
    /▸ Bash: npm test/,
    /Fixed\./,
  ]
  const told = [...steps, /gate passed after 2s/, /complete/, /✓ complete/].map(
    ({ source }) => source,
  )
  expect(stdout).toMatch(new RegExp(told.slice(0, 3).join("[^]*")))
  expect(stdout).toMatch(new RegExp(told.slice(3, 5).join("[^]*")))
  expect(stdout).toMatch(new RegExp(told.slice(5).join("[^]*")))
})

test("earlier events come in order, on whichever connection they arrive", async () => {
  daemon.happen("task.started", "1", { from: "registered", to: "working" })
  daemon.say("1", "I look.")
  const spoken = daemon.lines[0]!
  daemon.lines[0] = { ...spoken, at: "2031-01-01T00:00:00.000Z" }
  const [{ stdout }] = await Promise.all([commandLine(line, "run", "x"), complete()])
  expect(stdout).toMatch(/ working\n[^]* I look\.\n/)
})

test("prints one document with --json, and the progress beside it", async () => {
  const [{ exitCode, stdout, stderr }] = await Promise.all([
    commandLine(line, "run", "Fix the parser", "--json"),
    complete(),
  ])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id: "1", state: "complete" })
  expect(stderr).toMatch(/gate passed/)
})

test("ends with 1 when the task needs a person, and still prints its document [35.1]", async () => {
  const fail = async () => {
    await watched()
    const reason = { code: "failed", text: "the agent gave up" }
    daemon.happen("task.got_stuck", "1", { from: "working", to: "stuck", reason })
  }
  const [said] = await Promise.all([commandLine(line, "run", "x", "--json"), fail()])
  expect(said).toMatchObject({ exitCode: 1, stderr: /stuck: the agent gave up/ })
  expect(JSON.parse(said.stdout)).toMatchObject({ state: "stuck" })
})

test("passes its options on", async () => {
  const options = ["--agent", "coder", "--title", "T", "--work-item", "gh-1", "--land", "none"]
  const repos = ["--repo", "a", "--repo", "b"]
  const { exitCode, stdout } = await commandLine(
    line,
    "run",
    "x",
    "-d",
    "--json",
    ...options,
    ...repos,
  )
  expect(daemon.bodies).toEqual([
    { prompt: "x", agent: "coder", title: "T", workItem: "gh-1", land: "none", repos: ["a", "b"] },
  ])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id: "1", state: "registered" })
})

test("reads the prompt from stdin with -, byte for byte", async () => {
  await commandLine({ ...line, stdin: " ünï\n\n" }, "run", "-", "--detach")
  expect(daemon.bodies).toEqual([{ prompt: " ünï\n\n", cwd: line.cwd }])
})

test("wants one prompt, and a way of landing that there is", async () => {
  expect(await commandLine(line, "run")).toMatchObject({ exitCode: 2, stderr: /needs a prompt/ })
  expect(await commandLine(line, "run", "a", "b")).toMatchObject({ exitCode: 2, stderr: /quotes/ })
  const wrong = await commandLine(line, "run", "a", "--land", "fast")
  expect(wrong).toMatchObject({ exitCode: 2, stderr: /takes merge, approve, pr, none, not fast/ })
  expect(daemon.requests).toEqual([])
})

test("Ctrl-C ends the watching, not the task, and says how to come back", async () => {
  const interrupting = { ...line, onInterrupt: (stop: () => void) => void watched().then(stop) }
  const { exitCode, stderr } = await commandLine(interrupting, "run", "x")
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: /`coppice watch 1`/ })
  expect(daemon.requests.filter((request) => request.startsWith("POST"))).toEqual(["POST /tasks"])
})

test("a task that was stuck once and goes on is watched to its real end", async () => {
  const revive = async () => {
    await watched()
    daemon.happen("task.got_stuck", "1", { from: "working", to: "stuck", reason: null })
    daemon.happen("task.restarted", "1", { from: "stuck", to: "working", reason: null })
    await waitFor("the watcher to ask", () => daemon.requests.includes("GET /tasks/1"))
    daemon.happen("task.finished", "1", { from: "working", to: "complete", reason: null })
  }
  const [{ exitCode }] = await Promise.all([commandLine(line, "run", "x"), revive()])
  expect(exitCode).toBe(0)
})
