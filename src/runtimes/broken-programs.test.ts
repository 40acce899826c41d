/** Agent programs that misbehave: every session with one ends, and the daemon lives on. */
import { chmodSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { claudeCliRuntime } from "./claude.ts"
import { codexRuntime } from "./codex.ts"
import { areGone, TestSession } from "./contract.ts"
import type { SessionEnd } from "./runtime.ts"

const RUNTIMES = { "claude-cli": claudeCliRuntime, codex: codexRuntime }

/** Runs a session with this script in place of the program. */
async function runWith(
  name: keyof typeof RUNTIMES,
  script: string,
  session: TestSession,
  signal = new AbortController().signal,
): Promise<SessionEnd> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "broken-program-"))
  const program = join(folder.path, "program")
  writeFileSync(program, `#!${process.execPath}\n${script}`)
  chmodSync(program, 0o755)
  const env = { PATH: "/usr/bin:/bin", COPPICE_CLAUDE: program, COPPICE_CODEX: program }
  const own = { PATH: env.PATH, HOME: folder.path }
  return await RUNTIMES[name]({ env }).run(session.start({ prompt: "hi", env: own, signal }))
}

test.each([
  ["claude-cli", 'null\\n[]\\n7\\n"x"\\n{"type":"control_response"}\\nno JSON\\n'],
  ["codex", 'null\\n[]\\n7\\n"x"\\n{}\\n{"method":7}\\n{"id":1}\\nno JSON\\n'],
] as const)("broken lines of %s are no error of ours", async (name, lines) => {
  await using session = new TestSession()
  const script = `process.stdout.write('${lines}', () => process.exit(3))`
  expect(await runWith(name, script, session)).toMatchObject({ kind: "stuck", code: "died" })
  expect(areGone(session.pids)).toBe(true)
})

test.each(["claude-cli", "codex"] as const)("a line of %s without end ends it", async (name) => {
  await using session = new TestSession()
  const script = `const part = "x".repeat(1 << 20)
    const more = () => { while (process.stdout.write(part)); }
    process.stdout.on("drain", more).on("error", () => {})
    setInterval(() => {}, 1000)
    more()`
  expect(await runWith(name, script, session)).toMatchObject({ kind: "stuck", code: "died" })
  expect(areGone(session.pids)).toBe(true)
})

test.each(["claude-cli", "codex"] as const)(
  "%s without an answer ends on request",
  async (name) => {
    await using session = new TestSession()
    const stop = new AbortController()
    const running = runWith(name, "setInterval(() => {}, 1000)", session, stop.signal)
    await expect.poll(() => session.pids, { timeout: 30_000 }).toHaveLength(1)
    stop.abort()
    expect(await running).toEqual({ kind: "aborted" })
    expect(areGone(session.pids)).toBe(true)
  },
)

test("a claude that refuses our hooks and rules gets no prompt", async () => {
  await using session = new TestSession()
  const script = `const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
    const read = ({ type, request_id, request }) => {
      const response = { subtype: "error", request_id, error: "hooks are unknown" }
      if (request?.subtype === "initialize") say({ type: "control_response", response })
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = { content: [{ type: "text", text: "no rule holds me" }], usage }
      if (type === "user") say({ type: "assistant", parent_tool_use_id: null, message })
    }
    let rest = ""
    process.stdin.on("end", () => process.exit(0)).on("data", (chunk) => {
      const lines = (rest + chunk).split("\\n")
      rest = lines.pop()
      for (const line of lines) read(JSON.parse(line))
    })
    setTimeout(() => process.exit(0), 3000)`
  const end = await runWith("claude-cli", script, session)
  expect(end).toMatchObject({ kind: "stuck", code: "failed" })
  expect(end).toMatchObject({ text: expect.stringContaining("hooks are unknown") })
  expect(session.texts("text")).toEqual([])
})

test("a separator of lines inside a text does not cut a message in two", async () => {
  await using session = new TestSession()
  const script = `const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
    const read = ({ id, method }) => {
      if (method === "initialize") say({ id, result: {} })
      if (method === "thread/start") say({ id, result: { thread: { id: "t" } } })
      if (method !== "turn/start") return
      say({ id, result: { turn: { id: "1" } } })
      const item = { type: "agentMessage", text: "one\\u2028two" }
      say({ method: "item/completed", params: { threadId: "t", item } })
      const turn = { id: "1", status: "completed", error: null }
      say({ method: "turn/completed", params: { threadId: "t", turn } })
    }
    let rest = ""
    process.stdin.on("data", (chunk) => {
      const lines = (rest + chunk).split("\\n")
      rest = lines.pop()
      for (const line of lines) read(JSON.parse(line))
    })`
  expect(await runWith("codex", script, session)).toEqual({ kind: "ended" })
  expect(session.texts("text")).toEqual(["one\u2028two"])
})
