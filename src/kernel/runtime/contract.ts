/** The tests that every runtime must pass; each implementation's test file runs them. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import type { Usage } from "../../api/wire/tasks.ts"
import type { SessionId } from "../../base/ids.ts"
import { ProcessOwner } from "../process/owner.ts"
import { readIdentity } from "../process/process-identity.ts"
import type {
  AgentEvent,
  MessagesNow,
  Runtime,
  SeenLimit,
  SessionStart,
  TurnEnd,
} from "./runtime.ts"

/** A runtime, and prompts that make its agent do what a test needs. */
export type RuntimeUnderTest = AsyncDisposable & {
  readonly runtime: Runtime
  readonly env: Readonly<Record<string, string>>
  /** Says the text and ends the turn. */
  say(text: string): string
  /** Runs shell code as a tool, then ends the turn. */
  run(code: string): string
}

/** The parts of a session that a test may choose. */
export type Overrides = Partial<
  Pick<SessionStart, "turn" | "model" | "servers" | "report" | "signal" | "endTurn">
> &
  Partial<Pick<SessionStart["conversation"], "id" | "resume" | "forkOf" | "systemPrompt">> &
  Partial<Pick<SessionStart["place"], "env"> & Pick<SessionStart["limits"], "turnsMax">> &
  Partial<Pick<SessionStart["person"], "permit">>

/** A person who speaks while a turn runs. */
class TestMessages implements MessagesNow {
  readonly delivered: string[] = []
  #waiting: string | undefined
  #listener: (() => void) | undefined

  say(text: string): void {
    this.#waiting = text
    this.#listener?.()
  }

  find() {
    const text = this.#waiting
    if (text === undefined) return undefined
    const delivered = () => {
      this.delivered.push(text)
      this.#waiting = undefined
    }
    return { text, delivered }
  }

  /** As the end of a turn takes them. */
  take(): string | undefined {
    const text = this.#waiting
    this.#waiting = undefined
    return text
  }

  follow(listener: () => void): () => void {
    this.#listener = listener
    return () => {
      this.#listener = undefined
    }
  }
}

/** A session in a folder of its own, which records the runtime's callbacks. */
export class TestSession implements AsyncDisposable {
  readonly cwd = realpathSync(mkdtempSync(join(tmpdir(), "session-")))
  readonly scratch = realpathSync(mkdtempSync(join(tmpdir(), "scratch-")))
  readonly sessionId = randomUUID() as SessionId
  readonly events: AgentEvent[] = []
  readonly written: (string | null)[] = []
  readonly ends: TurnEnd[] = []
  readonly spent: [n: number, usage: Usage][] = []
  readonly messages = new TestMessages()
  readonly limits: SeenLimit[] = []
  programId: string | null = null
  /** The processes that the runtime itself started. */
  readonly pids: number[] = []
  readonly owner = new ProcessOwner({ mark: `test-${randomUUID()}` })

  start(overrides: Overrides & { readonly prompt: string }): SessionStart {
    const { prompt, env = {}, turnsMax = 50, permit, ...rest } = overrides
    const {
      id = this.sessionId,
      resume = false,
      forkOf,
      systemPrompt = async () => "",
      ...others
    } = rest
    const freshPrompt = async () => `[brief] ${prompt}`
    return {
      conversation: { id, resume, forkOf, systemPrompt, freshPrompt, ...this.#learning() },
      turn: { n: 1, prompt, repeated: false, phase: "working" },
      place: { cwd: this.cwd, otherWorktrees: [], scratch: this.scratch, env },
      model: undefined,
      servers: [],
      limits: { turnsMax, costUsdMax: undefined, verdictMsMax: 60_000, handoffAt: 1 },
      person: { permit, ask: async () => undefined, waitMsMax: 1_000 },
      messages: this.messages,
      report: {
        event: (event) => this.events.push(event),
        writes: (more) => this.written.push(more),
        usage: (n, usage) => this.spent.push([n, usage]),
        limit: (limit) => this.limits.push(limit),
      },
      signal: new AbortController().signal,
      spawn: async (command, args, options) => {
        const owned = await this.owner.spawn(command, args, {
          ...options,
          purpose: "agent",
          task: null,
        })
        this.pids.push(owned.pid)
        return owned
      },
      endTurn: async (end) => {
        this.ends.push(end)
        return undefined
      },
      ...others,
    }
  }

  /** The program's own id is known for the rest of the test. */
  #learning() {
    const learnId = (id: string) => {
      this.programId = id
    }
    return { programId: this.programId, learnId }
  }

  texts(kind: AgentEvent["kind"]): string[] {
    return this.events.flatMap((event) => (event.kind === kind ? [event.text] : []))
  }

  /** The pids that a tool writes to this file of the folder; waits for the file. */
  async pidsIn(file: string): Promise<number[]> {
    const read = () => {
      const text = readFileSync(join(this.cwd, file), "utf8")
      expect(text).toMatch(/\n$/)
      return text.trim().split(/\s+/).map(Number)
    }
    return await vi.waitFor(read, { timeout: 60_000, interval: 20 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owner[Symbol.asyncDispose]()
    for (const folder of [this.cwd, this.scratch]) rmSync(folder, { recursive: true, force: true })
  }
}

/** A server with the tool `who`, which says its key. */
export const TICKETS = {
  name: "tickets",
  kind: "stdio",
  command: [process.execPath, join(import.meta.dirname, "../../../test/support/mcp-tools.ts")],
  env: { KEY: "heron" },
} as const

/** Shell code that says in a file that it runs, and goes on when a test lets it. */
export const HELD = "mkfifo gate && echo $$ > pids && cat gate"
/** Lets {@link HELD} go on. */
export const letGo = (session: TestSession) => writeFile(join(session.cwd, "gate"), "go\n")

/** Whether every one of these processes has ended. */
export const areGone = (pids: readonly number[]) =>
  pids.length > 0 && pids.every((pid) => readIdentity(pid) === undefined)

const HANG = "setsid sleep 1000 & echo $$ $! > pids; wait; true"
const ABORT_MS_MAX = 5_000

/** Declares the tests. `setUp` makes a new runtime for each of them. */
export function runtimeContract(name: string, setUp: () => Promise<RuntimeUnderTest>): void {
  describe(`the ${name} runtime keeps the contract`, () => {
    test("its program is there", async () => {
      await using agent = await setUp()
      expect(await agent.runtime.unavailable()).toBeUndefined()
    })

    test("a turn ends with what the agent said, and the session when there is no next turn", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const end = await agent.runtime.run(
        session.start({ prompt: agent.say("hello"), env: agent.env }),
      )
      expect(end).toEqual({ kind: "ended" })
      expect(session.ends).toMatchObject([{ n: 1, message: "hello", usage: { turns: 1 } }])
      // A command says whole lines.
      expect(session.written.join("")).toBe(name === "command" ? "" : "hello")
      expect(areGone(session.pids)).toBe(true)
    })

    test("next turns follow, each with its own number and prompt", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const words = ["two", "three"]
      const endTurn: SessionStart["endTurn"] = async (end) => {
        session.ends.push(end)
        const word = words.shift()
        return word
          ? { n: end.n + 1, prompt: agent.say(word), repeated: false, phase: "working" }
          : undefined
      }
      const start = session.start({ prompt: agent.say("one"), env: agent.env, endTurn })
      expect(await agent.runtime.run(start)).toEqual({ kind: "ended" })
      const told = session.ends.map(({ n, message }) => [n, message])
      expect(told).toEqual([[1, "one"], [2, "two"], [3, "three"]]) // biome-ignore format: pairs
    })

    test("the output of a tool is reported, with the name of its use [12.25]", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const prompt = agent.run("printf 'one\\ntwo\\n'")
      expect(await agent.runtime.run(session.start({ prompt, env: agent.env }))).toEqual({
        kind: "ended",
      })
      // The Gemini CLI does not tell what a shell command printed.
      if (!name.includes("gemini")) expect(session.texts("output").join("\n")).toContain("one\ntwo")
      const named = session.events.filter(({ kind }) => kind === "tool" || kind === "output")
      const names = new Set(named.map(({ call }) => call ?? ""))
      expect(names.size).toBe(1)
      expect([...names][0]).toMatch(name === "command" ? /^$/ : /./)
    })

    test("an abort before the start starts nothing", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const signal = AbortSignal.abort()
      const start = session.start({ prompt: agent.say("hello"), env: agent.env, signal })
      expect(await agent.runtime.run(start)).toEqual({ kind: "aborted" })
      expect(session.pids).toEqual([])
    })

    test("an abort in the middle of a tool ends every process, soon", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const controller = new AbortController()
      const start = { env: agent.env, signal: controller.signal }
      const running = agent.runtime.run(session.start({ prompt: agent.run(HANG), ...start }))
      const tools = await session.pidsIn("pids")
      controller.abort()
      const late = AbortSignal.timeout(ABORT_MS_MAX)
      expect(await running).toEqual({ kind: "aborted" })
      expect(late.aborted).toBe(false)
      expect(areGone([...session.pids, ...tools])).toBe(true)
      expect(session.ends).toEqual([])
    })

    test("an abort while the end of a turn is being recorded is an abort", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const controller = new AbortController()
      const endTurn: SessionStart["endTurn"] = async () => {
        controller.abort()
        return undefined
      }
      const start = { env: agent.env, signal: controller.signal, endTurn }
      const end = await agent.runtime.run(session.start({ prompt: agent.say("hello"), ...start }))
      expect(end).toEqual({ kind: "aborted" })
      expect(areGone(session.pids)).toBe(true)
    })

    test("a process that something else kills is reported as died", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const running = agent.runtime.run(session.start({ prompt: agent.run(HANG), env: agent.env }))
      const tools = await session.pidsIn("pids")
      process.kill(session.pids[0]!, "SIGKILL")
      expect(await running).toMatchObject({ kind: "stuck", code: "died" })
      expect(areGone([...session.pids, ...tools])).toBe(true)
    })

    test("processes that a tool leaves running have ended when the session has", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const code = "(exec setsid sleep 1000 </dev/null >/dev/null 2>&1) & echo $! > pids"
      await agent.runtime.run(session.start({ prompt: agent.run(code), env: agent.env }))
      expect(session.ends).toHaveLength(1)
      expect(areGone(await session.pidsIn("pids"))).toBe(true)
    })

    test("an error in recording the turn's end is thrown, and no process is left", async () => {
      await using agent = await setUp()
      await using session = new TestSession()
      const endTurn = () => Promise.reject(new Error("disk full"))
      const start = session.start({ prompt: agent.say("hello"), env: agent.env, endTurn })
      await expect(agent.runtime.run(start)).rejects.toThrow("disk full")
      expect(areGone(session.pids)).toBe(true)
    })
  })
}
