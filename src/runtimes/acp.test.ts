import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { AcpAgentOptions } from "../../test/support/acp-agent.ts"
import { addUsage } from "../core/usage.ts"
import { acpRuntime } from "./acp.ts"
import { areGone, type Overrides, runtimeContract, TestSession } from "./contract.ts"
import type { Person, SessionStart } from "./runtime.ts"

const AGENT = join(import.meta.dirname, "../../test/support/acp-agent.ts")

/** The agent of tests, in a home of its own. */
class TestAcp implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "acp-home-"))
  readonly env: Record<string, string>
  readonly runtime = acpRuntime({ command: [process.execPath, AGENT], path: "/usr/bin:/bin" })

  constructor(options: AcpAgentOptions = {}) {
    const ACP_AGENT = JSON.stringify(options)
    this.env = { PATH: "/usr/bin:/bin", HOME: this.home, ACP_AGENT }
  }

  async run(session: TestSession, overrides: Overrides & { prompt?: string } = {}) {
    const start = session.start({ prompt: "SAY hello", env: this.env, ...overrides })
    return await this.runtime.run(start)
  }

  /** The messages to the agent, oldest first. */
  get asked(): { method?: string; params?: Record<string, unknown>; permission?: unknown }[] {
    const lines = readFileSync(join(this.home, "asked.jsonl"), "utf8").trim().split("\n")
    return lines.map((line) => JSON.parse(line))
  }

  find(method: string) {
    return this.asked.flatMap((one) => (one.method === method ? [one.params!] : []))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.home, { recursive: true, force: true })
  }
}

const VERBS = { say: (text: string) => `SAY ${text}`, run: (code: string) => `RUN ${code}` }

runtimeContract("acp", async () => Object.assign(new TestAcp({ asks: true }), VERBS))

test("texts, tool calls and failed tools are reported, and usage at the end of the turn", async () => {
  await using acp = new TestAcp({ asks: true })
  await using session = new TestSession()
  expect(await acp.run(session, { prompt: "RUN touch a; false" })).toEqual({ kind: "ended" })
  expect(session.texts("tool")).toEqual(["Bash: touch a; false"])
  expect(session.texts("notice")).toEqual(["A tool failed: Exit code 1"])
  expect(session.texts("text")).toEqual(["ran it"])
  const usage = { turns: 1, inputTokens: 90, outputTokens: 20, costUsd: null }
  expect(session.ends).toMatchObject([{ message: "ran it", usage }])
  expect(acp.asked).toContainEqual({
    permission: { outcome: { outcome: "selected", optionId: "once" } },
  })
})

test("the brief comes before the first prompt alone, and the servers of tools are ours", async () => {
  await using acp = new TestAcp({ capabilities: { mcpCapabilities: { http: true } } })
  await using session = new TestSession()
  const env = { ...acp.env, COPPICE_URL: "http://127.0.0.1:1", COPPICE_TOKEN: "secret" }
  const endTurn: SessionStart["endTurn"] = async ({ n }) =>
    n === 1 ? { n: 2, prompt: "SAY two", repeated: false, phase: "working" } : undefined
  await acp.run(session, { env, endTurn, systemPrompt: async () => "Branch: first." })
  const prompts = acp.find("session/prompt").map(({ prompt }) => prompt)
  const text = (...texts: string[]) => texts.map((one) => ({ type: "text", text: one }))
  expect(prompts).toEqual([text("Branch: first.", "SAY hello"), text("SAY two")])
  const [{ cwd, mcpServers }] = acp.find("session/new") as [Record<string, unknown>]
  expect(cwd).toBe(session.cwd)
  expect(mcpServers).toEqual([
    {
      ...{ type: "http", name: "coppice", url: "http://127.0.0.1:1/agent/mcp" },
      headers: [{ name: "Authorization", value: "Bearer secret" }],
    },
  ])
})

test.each(["load", "resume"] as const)(
  "a session is resumed by session/%s, without the old messages",
  async (resumes) => {
    await using acp = new TestAcp({ resumes })
    await using first = new TestSession()
    await acp.run(first, { prompt: "SAY heron" })
    await using second = new TestSession()
    second.programId = first.programId
    const turn = { n: 2, prompt: "SAY again", repeated: true, phase: "working" } as const
    expect(await acp.run(second, { turn, resume: true })).toEqual({ kind: "ended" })
    expect(second.texts("text")).toEqual(["again"])
    expect(second.texts("notice")).toEqual([])
    const [, prompt] = acp.find("session/prompt") as [unknown, { sessionId: string }]
    expect(prompt.sessionId).toBe(first.programId)
    expect(JSON.stringify(prompt)).toContain("You were interrupted")
    expect(acp.find(`session/${resumes}`)).toHaveLength(1)
  },
)

test.each([
  [{ resumes: "load" }, "gone"],
  [{ resumes: "resume" }, null],
  [{}, "known"],
] as [AcpAgentOptions, string | null][])(
  "a session that the program cannot resume (%o, %s) is started with a brief [16.4]",
  async (options, programId) => {
    await using acp = new TestAcp(options)
    await using session = new TestSession()
    session.programId = programId
    expect(await acp.run(session, { resume: true })).toEqual({ kind: "ended" })
    expect(session.texts("notice")).toHaveLength(1)
    expect(session.ends).toMatchObject([{ message: "hello" }])
    expect(JSON.stringify(acp.find("session/prompt"))).toContain("[brief] SAY hello")
    expect(session.programId).not.toBe(programId)
  },
)

test("a session that the program refuses to resume for another reason keeps its conversation", async () => {
  await using acp = new TestAcp({
    resumes: "load",
    answers: { "session/load": { error: { code: -32_603, message: "disk full" } } },
  })
  await using session = new TestSession()
  session.programId = "kept"
  const end = await acp.run(session, { resume: true })
  expect(end).toMatchObject({
    kind: "stuck",
    code: "failed",
    text: expect.stringContaining("disk full"),
  })
  expect(session.programId).toBe("kept")
})

test("the model is chosen by an option of the session, or in the way of older programs", async () => {
  for (const [session, method, params] of [
    [
      { configOptions: [{ id: "m", category: "model" }] },
      "session/set_config_option",
      { configId: "m", value: "x" },
    ],
    [{ models: {} }, "session/set_model", { modelId: "x" }],
  ] as const) {
    // biome-ignore format: one program a line
    await using acp = new TestAcp({ session })
    await using run = new TestSession()
    expect(await acp.run(run, { model: "x" })).toEqual({ kind: "ended" })
    expect(acp.find(method)).toMatchObject([params])
  }
  await using acp = new TestAcp()
  await using run = new TestSession()
  const end = await acp.run(run, { model: "x" })
  expect(end).toMatchObject({ kind: "stuck", text: expect.stringContaining("takes no model") })
})

const refusal = (method: string, error: unknown) => ({ answers: { [method]: { error } } })

test.each([
  [{ version: 7 }, "failed", "speaks version 7"],
  [{ version: null }, "failed", "speaks version null"],
  [{ answers: { initialize: { result: null } } }, "failed", "speaks version undefined"],
  [{ answers: { "session/new": { result: [] } } }, "failed", "without an id"],
  [
    refusal("session/new", { code: -32_000, message: "Log in first" }),
    "api_refused",
    "Log in first",
  ],
  [
    refusal("session/new", {
      code: -32_603,
      message: "Internal error",
      data: { details: "disk full" },
    }),
    "failed",
    "disk full",
  ],
  [refusal("session/prompt", { code: 401, message: "bad key" }), "api_refused", "bad key"],
  [
    refusal("session/prompt", { code: -32_603, message: "API key expired" }),
    "api_refused",
    "API key expired",
  ],
  [refusal("session/prompt", { code: -32_602, message: "no" }), "failed", "no"],
  [refusal("session/prompt", "why"), "failed", "why"],
  [
    { answers: { "session/prompt": { result: { stopReason: "refusal" } } } },
    "failed",
    "refused to go on",
  ],
  [
    { answers: { "session/prompt": { result: { stopReason: "max_tokens" } } } },
    "failed",
    "limit of tokens",
  ],
  [
    { answers: { "session/prompt": { result: { stopReason: "max_turn_requests" } } } },
    "budget",
    "limit of requests",
  ],
  [
    { answers: { "session/prompt": { result: { stopReason: "cancelled" } } } },
    "failed",
    "cancelled",
  ],
  [
    { answers: { "session/prompt": { result: { stopReason: { a: 1 } } } } },
    "failed",
    "ended the turn early",
  ],
  [{ answers: { "session/prompt": { result: 7 } } }, "failed", "ended the turn early"],
] as [AcpAgentOptions, string, string][])(
  "an agent with %j is stuck: %s, %s",
  async (options, code, words) => {
    // biome-ignore format: one agent a line
    await using acp = new TestAcp(options)
    await using session = new TestSession()
    const end = await acp.run(session)
    expect(end).toMatchObject({ kind: "stuck", code, text: expect.stringContaining(words) })
    expect(session.ends).toEqual([])
    expect(areGone(session.pids)).toBe(true)
  },
)

test.each([429, 500, 503, 529])("a model API that answers %i is tried later", async (code) => {
  await using acp = new TestAcp(refusal("session/prompt", { code, message: "busy" }))
  await using session = new TestSession()
  expect(await acp.run(session)).toMatchObject({ kind: "postponed", untilMs: null })
})

/** Has the agent send these messages in its first turn. `S` stands for the session's id. */
async function sent(messages: readonly object[], person: Partial<Person> = {}, planning = false) {
  const acp = new TestAcp()
  const session = new TestSession()
  const start = session.start({ prompt: "", env: acp.env })
  const learnId = (id: string) => {
    prompt = `SEND ${JSON.stringify(messages).replaceAll('"S"', JSON.stringify(id))}`
  }
  let prompt = ""
  const turn = {
    ...({ n: 1, repeated: false, phase: planning ? "planning" : "working" } as const),
    get prompt() {
      return prompt
    },
  }
  const conversation = { ...start.conversation, learnId }
  const whole = { ...start, turn, conversation, person: { ...start.person, ...person } }
  const end = await acp.runtime.run(whole)
  const results = acp.asked.filter(({ method, permission }) => !method && !permission)
  await acp[Symbol.asyncDispose]()
  await session[Symbol.asyncDispose]()
  return { end, session, results: results as { result?: unknown; error?: unknown }[] }
}

const updated = (update: unknown) => ({
  method: "session/update",
  params: { sessionId: "S", update },
})

test("updates that no agent should send are no error of ours", async () => {
  const odd = [null, 7, "x", [], {}, { sessionUpdate: 7 }, { sessionUpdate: "agent_message_chunk" }]
  const tools = [
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "tool_call_update", status: "failed", content: 7, title: {} },
    { sessionUpdate: "tool_call_update", status: "failed", content: [null, { content: 3 }] },
    { sessionUpdate: "usage_update", cost: { amount: "much", currency: "USD" } },
    { sessionUpdate: "agent_message_chunk", content: { text: [1] }, messageId: {} },
  ]
  const bare = [{ method: "session/update" }, { method: "session/update", params: null }]
  const { end } = await sent([...[...odd, ...tools].map(updated), ...bare, { id: 9 }, { id: null }])
  expect(end).toEqual({ kind: "ended" })
})

test("the cost of a turn is what the session's total grew by", async () => {
  const cost = (amount: number, currency = "USD") =>
    updated({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency } })
  const { session } = await sent([cost(0.25), cost(0.25), cost(0.75), cost(9, "EUR")])
  const used = session.spent.map(([, usage]) => usage).reduce(addUsage)
  expect(used).toMatchObject({ turns: 0, costUsd: 0.75 })
})

test("files and terminals of ours are refused, inside the worktree and outside", async () => {
  const { results } = await sent([
    { id: 50, method: "fs/read_text_file", params: { sessionId: "S", path: "/etc/hostname" } },
    { id: 51, method: "fs/write_text_file", params: { path: "a", content: "x" } },
    { id: 52, method: "terminal/create", params: { command: "sh" } },
  ])
  const refused = (what: string) => ({ error: { message: expect.stringContaining(what) } })
  const methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create"]
  expect(results).toMatchObject(methods.map(refused))
})

test("a question of the program reaches a person, field by field", async () => {
  const asked: unknown[] = []
  const answers = ["Blue", "7", "yes", "a"]
  const ask: Person["ask"] = async (question) => {
    asked.push(question)
    return answers.shift()
  }
  const properties = {
    colour: {
      type: "string",
      oneOf: [{ const: "b", title: "Blue" }],
      description: "Which colour?",
    },
    size: { type: "integer", title: "Size" },
    loud: { type: "boolean" },
    tags: { type: "array", items: { enum: ["a", "b"] } },
  }
  const params = {
    mode: "form",
    sessionId: "S",
    message: "Choose.",
    requestedSchema: { properties },
  }
  const { results } = await sent([{ id: 50, method: "elicitation/create", params }], { ask })
  expect(asked).toEqual([
    { text: "Choose.\nWhich colour?", choices: ["Blue"] },
    { text: "Choose.\nSize", choices: [] },
    { text: "Choose.", choices: ["yes", "no"] },
    { text: "Choose.", choices: ["a", "b"] },
  ])
  const content = { colour: "b", size: 7, loud: true, tags: ["a"] }
  expect(results).toMatchObject([{ result: { action: "accept", content } }])
})

test("a permission with choices of its own is a question, and a plan writes no file", async () => {
  const request = (kind: string, options: object[]) => ({
    ...{ id: 50, method: "session/request_permission" },
    params: { sessionId: "S", toolCall: { toolCallId: "x", title: "Go on?", kind }, options },
  })
  const own = [
    { optionId: "l", name: "Left", kind: "left" },
    { optionId: "r", name: "Right" },
  ]
  const both = [
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ]
  const outcome = async (...given: Parameters<typeof sent>) => {
    const { results } = await sent(...given)
    return (results[0]!.result as { outcome: unknown }).outcome
  }
  const ask = async () => "Right"
  expect(await outcome([request("other", own)], { ask })).toMatchObject({ optionId: "r" })
  expect(await outcome([request("other", own)])).toEqual({ outcome: "cancelled" })
  expect(await outcome([request("edit", both)])).toMatchObject({ optionId: "y" })
  expect(await outcome([request("edit", both)], {}, true)).toMatchObject({ optionId: "n" })
  expect(await outcome([request("edit", own)], { ask }, true)).toEqual({ outcome: "cancelled" })
})

test("the limit of answers is a budget", async () => {
  const tool = (n: number) => updated({ sessionUpdate: "tool_call", toolCallId: `${n}`, title: "x", status: "completed" }) // biome-ignore format: one call
  const { end } = await sent(Array.from({ length: 60 }, (_, n) => tool(n)))
  expect(end).toMatchObject({ kind: "stuck", code: "budget" })
})

test("an interrupt cancels the turn before the program is ended", async () => {
  await using acp = new TestAcp()
  await using session = new TestSession()
  const controller = new AbortController()
  const running = acp.run(session, {
    prompt: "RUN echo $$ > pids; sleep 1000",
    signal: controller.signal,
  })
  const tools = await session.pidsIn("pids")
  controller.abort()
  expect(await running).toEqual({ kind: "aborted" })
  expect(acp.find("session/cancel")).toEqual([{ sessionId: session.programId }])
  expect(areGone([...session.pids, ...tools])).toBe(true)
})

test("conversations belong to the program and to the folder where it keeps them", () => {
  const { holder } = acpRuntime({ command: ["gemini", "--acp"], path: "" })
  const other = acpRuntime({ command: ["opencode", "acp"], path: "" })
  expect(holder({ HOME: "/a", PATH: "/x" })).toBe(holder({ PATH: "/y", HOME: "/a" }))
  expect(holder({ HOME: "/a" })).not.toBe(holder({ HOME: "/a", XDG_DATA_HOME: "/b" }))
  expect(holder({ HOME: "/a" })).not.toBe(other.holder({ HOME: "/a" }))
  expect(holder({ HOME: "/a" })).toMatch(/^acp /)
})

test("a program that is missing is named", async () => {
  const missing = acpRuntime({ command: ["no-such-agent"], path: "/usr/bin" })
  expect(await missing.unavailable()).toMatchObject({ message: /no-such-agent/ })
  await using session = new TestSession()
  const end = await missing.run(session.start({ prompt: "x", env: { PATH: "/usr/bin" } }))
  expect(end).toMatchObject({ kind: "stuck", code: "failed" })
})
