/** Agent programs that misbehave: every session with one ends, and the daemon lives on. */
import { chmodSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { areGone, TestSession } from "../../kernel/runtime/contract.ts"
import type { SessionEnd } from "../../kernel/runtime/runtime.ts"
import { acpRuntime } from "../acp/runtime.ts"
import { claudeCliRuntime } from "../claude/runtime.ts"
import { codexRuntime } from "../codex/runtime.ts"

const RUNTIMES = {
  "claude-cli": claudeCliRuntime,
  codex: codexRuntime,
  acp: ({ env }: { env: { PATH: string; COPPICE_CODEX: string } }) =>
    acpRuntime({ command: [env.COPPICE_CODEX, "acp"], path: env.PATH }),
}
const NAMES = ["claude-cli", "codex", "acp"] as const
const RPC =
  'null\\n[]\\n7\\n"x"\\n{}\\n{"method":7}\\n{"method":"x","params":null}\\n{"id":1}\\nno JSON\\n'

/** Runs a session with this script in place of the program. */
async function runWith(
  name: keyof typeof RUNTIMES,
  script: string,
  session: TestSession,
  { signal = new AbortController().signal, resume = false } = {},
): Promise<SessionEnd> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "broken-program-"))
  const program = join(folder.path, "program")
  writeFileSync(program, `#!${process.execPath}\n${script}`)
  chmodSync(program, 0o755)
  const env = { PATH: "/usr/bin:/bin", COPPICE_CLAUDE: program, COPPICE_CODEX: program }
  const own = { PATH: env.PATH, HOME: folder.path }
  return await RUNTIMES[name]({ env }).run(
    session.start({ prompt: "hi", env: own, signal, resume }),
  )
}

test.each([
  ["claude-cli", "died", 'null\\n[]\\n7\\n"x"\\n{"type":"control_response"}\\nno JSON\\n'],
  ["codex", "died", RPC],
  ["acp", "failed", RPC],
] as const)("broken lines of %s are no error of ours", async (name, code, lines) => {
  await using session = new TestSession()
  const script = `process.stdout.write('${lines}', () => process.exit(3))`
  expect(await runWith(name, script, session)).toMatchObject({ kind: "stuck", code })
  expect(areGone(session.pids)).toBe(true)
})

test.each(NAMES)("a line of %s without end ends it", async (name) => {
  await using session = new TestSession()
  const script = `const part = "x".repeat(1 << 20)
    const more = () => { while (process.stdout.write(part)); }
    process.stdout.on("drain", more).on("error", () => {})
    setInterval(() => {}, 1000)
    more()`
  expect(await runWith(name, script, session)).toMatchObject({ kind: "stuck", code: "died" })
  expect(areGone(session.pids)).toBe(true)
})

test.each(NAMES)("%s without an answer ends on request", async (name) => {
  await using session = new TestSession()
  const stop = new AbortController()
  const running = runWith(name, "setInterval(() => {}, 1000)", session, stop)
  await expect.poll(() => session.pids).toHaveLength(1)
  stop.abort()
  expect(await running).toEqual({ kind: "aborted" })
  expect(areGone(session.pids)).toBe(true)
})

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

/** A codex that refuses to resume, and answers any other request. */
const refusingToResume = (message: string) => `
  const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
  const read = ({ id, method }) => {
    if (method === "initialize") say({ id, result: {} })
    if (method === "thread/resume") say({ id, error: { code: -32600, message: ${JSON.stringify(message)} } })
    if (method === "thread/start") say({ id, result: { thread: { id: "fresh" } } })
    if (method !== "turn/start") return
    say({ id, result: { turn: { id: "1" } } })
    const turn = { id: "1", status: "completed", error: null }
    say({ method: "turn/completed", params: { threadId: "fresh", turn } })
  }
  require("node:readline").createInterface(process.stdin).on("line", (line) => read(JSON.parse(line)))`

test("a codex that does not know the conversation begins a new one, and says so [16.4]", async () => {
  await using session = new TestSession()
  session.programId = "lost"
  const script = refusingToResume("no rollout found for thread id lost")
  expect(await runWith("codex", script, session, { resume: true })).toEqual({ kind: "ended" })
  expect(session.programId).toBe("fresh")
  expect(session.texts("notice")).toEqual([expect.stringContaining("a new one begins")])
})

test.each([
  "failed to load rollout `/home/you/.codex/sessions/x.jsonl`: permission denied",
  "session lost is archived. Run `codex unarchive lost` to unarchive it first.",
  "unauthorized",
])("a codex that refuses to resume for another reason keeps its conversation: %s", async (why) => {
  await using session = new TestSession()
  session.programId = "lost"
  const end = await runWith("codex", refusingToResume(why), session, { resume: true })
  expect(end).toEqual({ kind: "stuck", code: "failed", text: `codex refused: ${why}` })
  expect(session.programId).toBe("lost")
})

test("messages of claude without usage or content are no error of ours", async () => {
  await using session = new TestSession()
  const script = `const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
    const read = ({ type, request_id, request }) => {
      const response = { subtype: "success", request_id, response: {} }
      if (type === "control_request") say({ type: "control_response", response })
      if (type !== "user") return
      const own = { type: "assistant", parent_tool_use_id: null }
      say({ ...own, message: { model: "m", content: [{ type: "text", text: "hello" }] } })
      say({ ...own, message: { model: "m" } })
      say({ type: "user", message: {} })
      setTimeout(() => process.exit(3), 100)
    }
    require("node:readline").createInterface(process.stdin).on("line", (line) => read(JSON.parse(line)))`
  const end = await runWith("claude-cli", script, session)
  expect(end).toMatchObject({ kind: "stuck", code: "died" })
  expect(session.texts("text")).toEqual(["hello"])
})

test("messages of codex without their fields are no error of ours", async () => {
  await using session = new TestSession()
  const methods = ["item/started", "item/completed", "turn/started", "thread/tokenUsage/updated"]
  const others = ["account/rateLimits/updated", "error"]
  const odd = [{}, { item: null, turn: null, tokenUsage: null, rateLimits: null, error: null }]
  const items = [7, { type: "fileChange", changes: [null] }, { type: "agentMessage", text: {} }]
  const script = `const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
    const read = ({ id, method }) => {
      if (method === "initialize") say({ id, result: {} })
      if (method === "thread/start") say({ id, result: { thread: { id: "t" } } })
      if (method !== "turn/start") return
      say({ id, result: null })
      for (const method of ${JSON.stringify([...methods, ...others])})
        for (const params of ${JSON.stringify(odd)}) say({ method, params })
      for (const method of ["item/started", "item/completed"])
        for (const item of ${JSON.stringify(items)}) say({ method, params: { item } })
      say({ method: "turn/completed", params: { turn: { status: "completed" } } })
    }
    require("node:readline").createInterface(process.stdin).on("line", (line) => read(JSON.parse(line)))`
  expect(await runWith("codex", script, session)).toEqual({ kind: "ended" })
})
