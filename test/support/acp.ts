/** The scripted ACP agent as a real process, in a home of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { acpRuntime } from "../../src/features/acp/runtime.ts"
import { type Overrides, TestSession } from "../../src/kernel/runtime/contract.ts"
import type { Person } from "../../src/kernel/runtime/runtime.ts"
import type { AcpAgentOptions } from "./acp-agent.ts"

const AGENT = join(import.meta.dirname, "acp-agent.ts")

/** The agent of tests, in a home of its own. */
export class TestAcp implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "acp-home-"))
  readonly env: Record<string, string>
  readonly runtime = acpRuntime({ command: [process.execPath, AGENT], path: "/usr/bin:/bin" })

  constructor(options: AcpAgentOptions = {}) {
    const ACP_AGENT = JSON.stringify(options)
    // The agent starts in half the time where Node finds it compiled.
    const { NODE_COMPILE_CACHE } = process.env
    const compiled = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
    this.env = { PATH: "/usr/bin:/bin", HOME: this.home, ACP_AGENT, ...compiled }
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

/** Has the agent send these messages in its first turn. `S` stands for the session's id. */
export async function sent(
  messages: readonly object[],
  person: Partial<Person> = {},
  planning = false,
) {
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
