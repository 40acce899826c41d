/**
 * A small agent that speaks the Agent Client Protocol on its standard streams, for tests.
 *
 * It keeps its conversations in HOME. The last text of a prompt is its script: `SAY <text>`,
 * `RUN <shell code>`, `WRITE <text> | <more>`, or `SEND <messages as a JSON list>` for what no real agent
 * sends. The JSON in ACP_AGENT chooses what it can do, and where it fails.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"

export type AcpAgentOptions = {
  readonly version?: unknown
  /** How it goes on with a conversation; undefined: it cannot. Late: it is repeated after the answer. */
  readonly resumes?: "load" | "resume" | "load late"
  /** Answers of methods; `error` refuses the request. */
  readonly answers?: Readonly<
    Record<string, { readonly error?: unknown; readonly result?: unknown }>
  >
  readonly capabilities?: object
  readonly session?: object
  /** Asks before it runs code. */
  readonly asks?: boolean
  /** Shell code for prompts with these words; the first that fits. */
  readonly codes?: readonly (readonly [words: string, code: string])[]
}

type Message = { readonly id?: number; readonly method?: string; readonly result?: unknown } & {
  readonly error?: unknown
  readonly params?: Record<string, unknown>
}

const {
  version = 1,
  resumes,
  answers = {},
  capabilities,
  session,
  asks = false,
  codes = [],
} = JSON.parse(process.env["ACP_AGENT"] ?? "{}") as AcpAgentOptions
const fileOf = (id: unknown) => join(process.env["HOME"]!, `${id}.jsonl`)
const record = (entry: object) =>
  appendFileSync(join(process.env["HOME"]!, "asked.jsonl"), `${JSON.stringify(entry)}\n`)
const waiting = new Map<number, (result: unknown) => void>()
/** The code of a tool that runs. */
let tool: ChildProcess | undefined
let isCancelled = false
/** Repeats the rest of a loaded conversation. */
let repeatLate: (() => void) | undefined
let asked = -1

const send = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

const update = (sessionId: unknown, fields: object) =>
  send({ method: "session/update", params: { sessionId, update: fields } })

const say = (sessionId: unknown, text: string) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })

const ask = (method: string, params: object) =>
  new Promise<unknown>((resolve) => {
    waiting.set(++asked, resolve)
    send({ id: asked, method, params })
  })

/** A request keeps the id that it has, and is answered before the turn ends. */
async function pass(message: Message): Promise<void> {
  const { id, method } = message
  const answered =
    id !== undefined && method && new Promise<unknown>((resolve) => waiting.set(id, resolve))
  send(message)
  await answered
}

async function run(sessionId: unknown, code: string): Promise<void> {
  const call = { toolCallId: `t${++asked}`, kind: "execute" }
  update(sessionId, { sessionUpdate: "tool_call", ...call, title: "shell", status: "pending" })
  const toolCall = { ...call, title: code, status: "pending" }
  const options = [
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "once", name: "Once", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ]
  if (asks)
    record({
      permission: await ask("session/request_permission", { sessionId, toolCall, options }),
    })
  const child = spawn("sh", ["-c", code], { stdio: ["ignore", "pipe", "inherit"] })
  let printed = ""
  child.stdout.on("data", (chunk) => {
    printed += chunk
  })
  tool = child
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve))
  const text = `${printed}Exit code ${exit}`
  const content = [{ type: "content", content: { type: "text", text } }]
  const status = exit === 0 ? "completed" : "failed"
  update(sessionId, { sessionUpdate: "tool_call_update", ...toolCall, status, content })
  say(sessionId, "ran ")
  say(sessionId, "it")
}

/** One message in pieces; each waits until HOME has a file of its number. */
async function write(sessionId: unknown, text: string): Promise<void> {
  for (const [n, piece] of text.split(" | ").entries()) {
    while (!existsSync(join(process.env["HOME"]!, String(n))))
      await new Promise((resolve) => setTimeout(resolve, 20))
    say(sessionId, piece)
  }
}

async function prompt({ sessionId, prompt }: Record<string, unknown>): Promise<object> {
  isCancelled = false
  const texts = (prompt as { text: string }[]).map(({ text }) => text)
  appendFileSync(fileOf(sessionId), `${JSON.stringify(texts)}\n`)
  const [, verb, rest = "what?"] =
    /(?:^|\n)(?:\[brief\] )?(SAY|RUN|SEND|WRITE) ([^]+)$/.exec(texts.at(-1)!) ?? []
  const [, code] = codes.find(([words]) => texts.join("\n").includes(words)) ?? []
  if (code !== undefined) await run(sessionId, code)
  else if (verb === "SEND") await Promise.all((JSON.parse(rest) as Message[]).map(pass))
  else if (verb === "RUN") await run(sessionId, rest)
  else if (verb === "WRITE") await write(sessionId, rest)
  else say(sessionId, rest)
  return {
    stopReason: isCancelled ? "cancelled" : "end_turn",
    usage: { inputTokens: 90, outputTokens: 20, totalTokens: 110 },
  }
}

async function answer(method: string, params: Record<string, unknown>): Promise<unknown> {
  if (method === "session/new") return { sessionId: randomUUID(), ...session }
  if (method === "session/prompt") return await prompt(params)
  if (method === "initialize") {
    const sessionCapabilities = resumes === "resume" ? { resume: {} } : {}
    const agentCapabilities = {
      loadSession: resumes?.startsWith("load"),
      sessionCapabilities,
      ...capabilities,
    }
    return { protocolVersion: version, agentCapabilities, agentInfo: { name: "test" } }
  }
  if (method !== "session/load" && method !== "session/resume") return {}
  const { sessionId } = params
  if (!existsSync(fileOf(sessionId))) throw new Error("no such session")
  const lines = readFileSync(fileOf(sessionId), "utf8").trim().split("\n")
  const repeat = () => {
    for (const line of lines) say(sessionId, `again: ${line}`)
  }
  if (resumes === "load late") repeatLate = repeat
  else if (resumes === "load") repeat()
  return { ...session }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line) as Message
  record({ method, params, result, error })
  repeatLate?.()
  repeatLate = undefined
  if (method === undefined) return waiting.get(id!)?.(result)
  if (method === "session/cancel") {
    isCancelled = true
    tool?.kill()
  }
  if (id === undefined) return
  const prepared = answers[method]
  if (prepared) return void send({ id, ...prepared })
  answer(method, params).then(
    (result) => send({ id, result }),
    (error: Error) =>
      send({
        id,
        error: { code: -32_603, message: "Internal error", data: { details: error.message } },
      }),
  )
})
// Node would do it at an orderly end, and most of these processes are killed.
flushCompileCache()
