import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestAcp } from "../../../test/support/acp.ts"
import type { AcpAgentOptions } from "../../../test/support/acp-agent.ts"
import { areGone, runtimeContract, TestSession, TICKETS } from "../../kernel/runtime/contract.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { acpRuntime } from "./runtime.ts"

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

test("a turn is interrupted for a person's message, and the same process goes on with it [16.8]", async () => {
  await using acp = new TestAcp()
  await using session = new TestSession()
  const endTurn: SessionStart["endTurn"] = async (end) => {
    session.ends.push(end)
    const prompt = session.messages.take()
    return prompt === undefined
      ? undefined
      : { n: end.n + 1, prompt, repeated: false, phase: "working" }
  }
  const running = acp.run(session, {
    prompt: `RUN echo $$ > pids; exec sleep 1000`,
    endTurn,
  })
  await session.pidsIn("pids")
  session.messages.say("SAY minded")
  expect(await running).toEqual({ kind: "ended" })
  expect(session.ends).toMatchObject([{ n: 1 }, { n: 2, message: "minded" }])
  expect(acp.find("session/cancel")).toHaveLength(1)
  expect(session.pids).toHaveLength(1)
  expect(session.messages.delivered).toEqual([])
})

test.each([
  [{ sessionCapabilities: { fork: {} } }, "SAY hello", "copied"],
  [{}, "[brief] SAY hello", undefined],
])(
  "a conversation begins as a copy if the program can (%j) [16.10]",
  async (capabilities, text, id) => {
    const answers = { "session/fork": { result: { sessionId: "copied" } } }
    await using acp = new TestAcp({ capabilities, answers })
    await using session = new TestSession()
    const forkOf = { id: session.sessionId, programId: "first" }
    expect(await acp.run(session, { forkOf })).toEqual({ kind: "ended" })
    expect(acp.find("session/fork").map(({ sessionId }) => sessionId)).toEqual(id ? ["first"] : [])
    expect(acp.find("session/prompt")).toMatchObject([{ prompt: [{ text }] }])
    if (id) expect(session.programId).toBe(id)
  },
)

test("servers of tools are the configured ones, if the program takes their kind [31.12]", async () => {
  await using acp = new TestAcp()
  await using session = new TestSession()
  await acp.run(session, { servers: [TICKETS] })
  const [{ mcpServers }] = acp.find("session/new") as [Record<string, unknown>]
  const [command, ...args] = TICKETS.command
  const env = [{ name: "KEY", value: "heron" }]
  expect(mcpServers).toEqual([{ name: "tickets", command, args, env }])
  const docs = { name: "docs", kind: "http", url: "http://127.0.0.1:1", headers: {} } as const
  expect(await acp.run(session, { servers: [docs] })).toMatchObject({
    kind: "stuck",
    code: "failed",
    text: expect.stringContaining("`mcp_servers.docs`"),
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
      type: "http",
      name: "coppice",
      url: "http://127.0.0.1:1/agent/mcp",
      headers: [{ name: "Authorization", value: "Bearer secret" }],
    },
  ])
})

test.each([true, false])(
  "images go to a program that says that it takes them: %s",
  async (image) => {
    await using acp = new TestAcp({ capabilities: { promptCapabilities: { image } } })
    await using session = new TestSession()
    const path = join(session.cwd, "a.png")
    writeFileSync(path, "png")
    const images = [{ path, type: "image/png" }] as const
    const turn = { n: 1, prompt: "SAY seen", repeated: false, phase: "working", images } as const
    await acp.run(session, { turn })
    const [{ prompt }] = acp.find("session/prompt") as [{ prompt: unknown }]
    const shown = { type: "image", mimeType: "image/png", data: "cG5n" }
    expect(prompt).toEqual([{ type: "text", text: "SAY seen" }, ...(image ? [shown] : [])])
  },
)

test.each(["load", "load late", "resume"] as const)(
  "a session is resumed by session %s, without the old messages",
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
    expect(acp.find(`session/${resumes.split(" ")[0]}`)).toHaveLength(1)
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

test.each([
  [[{ sessionId: "lost" }], "stuck"],
  [[{ sessionId: "other" }], "ended"],
])("a program that lists its sessions says which it knows: %j", async (sessions, kind) => {
  await using acp = new TestAcp({
    resumes: "load",
    capabilities: { sessionCapabilities: { list: {} } },
    answers: {
      "session/load": { error: { code: -32_603, message: "service failure" } },
      "session/list": { result: { sessions } },
    },
  })
  await using session = new TestSession()
  session.programId = "lost"
  expect(await acp.run(session, { resume: true })).toMatchObject({ kind })
})

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
  async (options, code, message) => {
    // biome-ignore format: one agent a line
    await using acp = new TestAcp(options)
    await using session = new TestSession()
    const end = await acp.run(session)
    expect(end).toMatchObject({ kind: "stuck", code, text: expect.stringContaining(message) })
    expect(session.ends).toEqual([])
    expect(areGone(session.pids)).toBe(true)
  },
)

test.each([429, 500, 503, 529])("a model API that answers %i is tried later", async (code) => {
  await using acp = new TestAcp(refusal("session/prompt", { code, message: "busy" }))
  await using session = new TestSession()
  expect(await acp.run(session)).toMatchObject({ kind: "postponed", untilMs: null })
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

test("a program that is missing is named, so that a fallback takes over [50.2]", async () => {
  const missing = acpRuntime({ command: ["no-such-agent"], path: "/usr/bin" })
  expect(await missing.unavailable()).toMatchObject({ message: /no-such-agent/ })
  const at = (program: string) => acpRuntime({ command: [program], path: "/usr/bin" }).unavailable()
  expect(await at("/no/such-agent")).toMatchObject({
    message: "there is no program /no/such-agent",
  })
  expect(await at("./in-the-worktree")).toBeUndefined()
  expect(await at("/bin/sh")).toBeUndefined()
  await using session = new TestSession()
  const end = await missing.run(session.start({ prompt: "x", env: { PATH: "/usr/bin" } }))
  expect(end).toMatchObject({ kind: "stuck", code: "failed" })
})
