/** Any program is an agent, without a coppice.yml: `run --with`. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LogDocument } from "../../src/api/wire/events.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Notes its arguments and its input, and runs the script for this turn. */
const agentWith = (steps: string) => `#!/bin/sh
for one; do printf '[%s]\\n' "$one"; done >> "$HOME/arguments"
cat >> "$HOME/input"
if [ -f "${steps}/$COPPICE_TURN" ]; then . "${steps}/$COPPICE_TURN"; fi
`

/** A home without a coppice.yml, and a program of a person. */
class Bare extends Fleet {
  readonly program = join(this.home.path, "my agent")

  constructor() {
    super()
    rmSync(join(this.repo.path, "coppice.yml"))
    this.repo.git("commit", "-qam", "no configuration")
    mkdirSync(this.steps, { recursive: true })
    writeFileSync(this.program, agentWith(this.steps))
    chmodSync(this.program, 0o755)
  }

  get arguments(): string {
    return readFileSync(join(this.home.path, "arguments"), "utf8")
  }
}

test("a typed program works, gets its conflict back in its own words, and both tasks land [30.10]", async () => {
  await using fleet = new Bare()
  fleet.step(1, `echo "$1" > README.md; while [ ! -f "$HOME/go-$1" ]; do sleep 0.05; done`)
  fleet.step(
    2,
    `git rebase main; printf 'one\\ntwo\\n' > README.md; git add -A; GIT_EDITOR=true git rebase --continue`,
  )
  const run = (word: string) => `'${fleet.program}' ${word}`
  const prompt = "Write $(touch hacked); `touch hacked`\nin two lines"
  const one = await fleet.start(prompt, "--with", run("one --say={prompt}"))
  const later = ["--resume", run("again {session} {promptFile}")]
  const two = await fleet.start(prompt, "--with", run("two {prompt}"), ...later)
  for (const id of [one, two])
    await fleet.event(({ type, task }) => type === "turn.began" && task === id)

  writeFileSync(join(fleet.home.path, "go-one"), "")
  const landed = { state: "complete", agent: "my-agent" }
  expect(await fleet.until(one)).toMatchObject({ ...landed, landing: { handbacks: 0 } })
  writeFileSync(join(fleet.home.path, "go-two"), "")
  const task = await fleet.until(two)
  expect(task).toMatchObject({ ...landed, landing: { handbacks: 1, outcome: "LANDED" } })

  expect(readFileSync(join(fleet.repo.path, "README.md"), "utf8")).toBe("one\ntwo\n")
  expect(existsSync(join(fleet.repo.path, "hacked"))).toBe(false)
  const [said, resumed] = [`[one]\n[--say=${prompt}]\n`, `[again]\n[${task.sessionId}]\n[/`]
  expect(fleet.arguments).toContain(said)
  expect(fleet.arguments).toContain(resumed)
  expect(readFileSync(join(fleet.home.path, "input"), "utf8")).toBe("")
  expect(fleet.leftovers()).toEqual([])
})

test("restart and resume use the same words again, though the daemon died in between [30.10]", async () => {
  await using fleet = new Bare()
  fleet.step(1, "exit 3")
  fleet.step(2, "echo done > work.txt")
  fleet.step(3, "echo more >> work.txt")
  const words = `'${fleet.program}' '{turn}' "{prompt}"`
  const stuck = await fleet.json(TaskDocument, ["run", "Work", "--with", words], 1)
  expect(stuck).toMatchObject({ state: "stuck", reason: { code: "failed" }, agent: "my-agent" })
  await fleet.kill()
  await fleet.json(TaskDocument, ["restart", "-d", stuck.id])
  expect(await fleet.until(stuck.id)).toMatchObject({ state: "complete" })
  await fleet.json(TaskDocument, ["resume", "-d", stuck.id, "More"])
  expect(await fleet.until(stuck.id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "main:work.txt")).toBe("done\nmore")
  expect(fleet.arguments).toMatch(/^\[1\]\n\[Work\]\n\[2\]\n[\s\S]*\n\[3\]\n/)
})

test("without a placeholder the prompt is on standard input, and the words need no approval", async () => {
  await using fleet = new Bare()
  const task = await fleet.json(TaskDocument, [
    "run",
    "Say hello",
    "--with",
    `'${fleet.program}' -v`,
  ])
  expect(task).toMatchObject({ state: "complete", reason: { text: expect.any(String) } })
  expect(fleet.arguments).toBe("[-v]\n")
  expect(readFileSync(join(fleet.home.path, "input"), "utf8")).toBe("Say hello")
  const { lines } = await fleet.json(LogDocument, ["logs", task.id])
  expect(lines.map(({ kind }) => kind)).not.toContain("output")
})

test("words that could run a prompt as code are refused before a task is made [30.11]", async () => {
  await using fleet = new Bare()
  const cases = [
    [["--with", "sh -c {prompt}"], "would run as code"],
    [["--with", "sh -c 'agent {prompt}'"], "an argument of its own"],
    [["--with", "agent | tee log"], "no shell reads it"],
    [["--with", "agent", "--resume", "sh -c {prompt}"], "would run as code"],
    [["--resume", "agent"], "goes with `with`"],
    [["--with", "agent", "--agent", "claude"], "not both"],
    [["--with", "no-such-agent {prompt}"], "no program no-such-agent"],
    [["--with", "sh {promptFile}", "--model", "m"], "takes no model"],
  ] as const
  for (const [args, message] of cases) {
    const { code, stderr } = await fleet.coppice("run", "x", ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect(await fleet.client.list()).toMatchObject({ tasks: [] })
})

test("a typed program keeps the settings of the first agent, and is refused where it cannot [30.14]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { landing: { mode: "approve" } } })
  const task = await fleet.json(TaskDocument, ["run", "echo x > x.txt", "--with", "sh -s"])
  expect(task).toMatchObject({ state: "in_approval", agent: "sh" })
  const claude = { runtime: "claude", permissions: { deny: ["Bash(git push *)"] } }
  const file = { version: 1, repos: { app: { gate: false } }, agents: { claude } }
  fleet.approve(file, "with permissions")
  const { code, stderr } = await fleet.coppice("run", "x", "--with", "sh -s")
  expect([code, stderr]).toEqual([2, expect.stringContaining("sh cannot keep `permissions`")])
})

test("settings that a typed program cannot keep stop its task before the next turn [30.14]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { landing: { mode: "approve" } } })
  const ran = join(fleet.home.path, "ran")
  const task = await fleet.json(TaskDocument, ["run", `echo >> ${ran}`, "--with", "sh -s"])
  expect(task.state).toBe("complete")
  const claude = { runtime: "claude", permissions: { deny: ["Bash(git push *)"] } }
  fleet.approve({ version: 1, repos: { app: { gate: false } }, agents: { claude } }, "with rules")
  const resumed = await fleet.json(TaskDocument, ["resume", task.id, "More"], 1)
  expect(resumed).toMatchObject({
    state: "stuck",
    reason: { text: expect.stringContaining("sh cannot keep `permissions`") },
  })
  expect(readFileSync(ran, "utf8")).toBe("\n")
})

test("a known program on the PATH is an agent by its name, and says how to install it otherwise [30.12]", async () => {
  await using fleet = new Bare()
  const missing = await fleet.coppice("run", "x", "--agent", "gemini")
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("@google/gemini-cli") })
  await fleet.coppice("down")
  const bin = join(fleet.home.path, "bin")
  mkdirSync(bin)
  const agent = join(import.meta.dirname, "../support/acp-agent.ts")
  const ACP_AGENT = JSON.stringify({ asks: true, codes: [["Write x", "echo x > x.txt"]] })
  const script = `#!/bin/sh\nACP_AGENT='${ACP_AGENT}' exec '${process.execPath}' '${agent}' "$@"\n`
  writeFileSync(join(bin, "gemini"), script)
  chmodSync(join(bin, "gemini"), 0o755)
  fleet.extra["PATH"] = `${bin}:${fleet.env["PATH"]}`
  const task = await fleet.json(TaskDocument, ["run", "Write x", "--agent", "gemini"])
  expect(task).toMatchObject({ state: "complete", agent: "gemini" })
  expect(fleet.repo.git("show", "main:x.txt")).toBe("x")
})
