/**
 * The cost of driving an agent program: one scripted session through our runtime, against the bare
 * program with the same prompt. The model is a script on loopback: it runs one command, then it stops.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../src/core/ids.ts"
import { inContainer } from "../src/process/container.ts"
import { findEngine } from "../src/process/container-engine.ts"
import type { Fence } from "../src/process/fence.ts"
import type { OwnedChild } from "../src/process/owned-child.ts"
import { type OwnerOptions, ProcessOwner } from "../src/process/owner.ts"
import { acpRuntime } from "../src/runtimes/acp.ts"
import { claudeCliRuntime, claudeRuntime } from "../src/runtimes/claude.ts"
import { chooseClaudeProgram } from "../src/runtimes/claude-program.ts"
import { codexRuntime } from "../src/runtimes/codex.ts"
import { commandRuntime } from "../src/runtimes/command.ts"
import { JsonRpc } from "../src/runtimes/json-rpc.ts"
import type { Runtime, SessionStart } from "../src/runtimes/runtime.ts"
import { ACP_PROGRAMS, type AcpScript, findAcpCommand } from "../test/support/acp-programs.ts"
import { findAgentFolder } from "../test/support/agent-programs.ts"
import { TestImage } from "../test/support/container.ts"
import { MessagesApi } from "../test/support/messages-api.ts"
import { bash } from "../test/support/messages-api-reply.ts"
import { ResponsesApi } from "../test/support/responses-api.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { timeRounds } from "./rounds.ts"

const ROUNDS = 9
const PROMPT = "Make the file"
const CODE = "echo made > made.txt"
const PATH = "/usr/bin:/bin"

type Driven = {
  readonly runtime: Runtime
  readonly env: Readonly<Record<string, string>>
  /** The bare program, as a person would give it this prompt. */
  readonly bare: readonly [program: string, ...args: string[]]
  /** Talks as an editor to a program that serves one, then ends the program. */
  readonly serve?: (owned: OwnedChild, cwd: string) => Promise<void>
  readonly api?: AsyncDisposable
}

/** @param home an empty folder. @returns undefined if the program is not there. */
type Prepare = (home: string) => Promise<Driven | undefined>

const claude =
  (make: typeof claudeRuntime): Prepare =>
  async (home) => {
    const program = chooseClaudeProgram({ env: {} })
    if (program.kind === "missing") return undefined
    const api = await MessagesApi.start(({ tools, toolResults }) =>
      tools.includes("Bash") && toolResults.length === 0
        ? { tools: [bash(CODE)] }
        : { text: "Done." },
    )
    const env = { PATH, HOME: home, TMPDIR: home, ...api.env }
    const runtime = make({ env: { PATH, COPPICE_CLAUDE: program.path } })
    const bare = [program.path, "--print", "--allowedTools", "Bash", "--", PROMPT] as const
    return { runtime, env, bare, api }
  }

async function codex(home: string): Promise<Driven | undefined> {
  const folder = findAgentFolder("codex")
  if (folder === undefined) return undefined
  const api = await ResponsesApi.start(({ outputs }) =>
    outputs.length === 0 ? { run: CODE } : { text: "Done." },
  )
  const CODEX_HOME = join(home, ".codex")
  mkdirSync(CODEX_HOME)
  writeFileSync(join(CODEX_HOME, "config.toml"), api.codexConfig)
  const own = { HOME: home, TMPDIR: home, CODEX_HOME, OPENAI_API_KEY: "none" }
  const env = { PATH: `${folder}:${PATH}`, ...own }
  const unattended = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
  const bare = [join(folder, "codex"), "exec", ...unattended, PROMPT] as const
  return { runtime: codexRuntime({ env: { PATH: folder } }), env, bare, api }
}

/** The adapter of Codex, which is the fastest that we test. */
async function acp(home: string): Promise<Driven | undefined> {
  const words = findAcpCommand("codex-acp")
  if (words === undefined) return undefined
  const script: AcpScript = (_, hasResults) => (hasResults ? { text: "Done." } : { run: CODE })
  const api = await ACP_PROGRAMS["codex-acp"].start(script, home)
  const path = `${join(process.execPath, "..")}:${PATH}`
  const env = { PATH: path, HOME: home, TMPDIR: home, ...api.env }
  return { runtime: acpRuntime({ command: words, path }), env, bare: words, serve: askOnce, api }
}

/** The fewest requests of an editor that has one prompt. */
async function askOnce(owned: OwnedChild, cwd: string): Promise<void> {
  const rpc = new JsonRpc(owned, {
    notified: () => {},
    asked: async () => ({ outcome: { outcome: "selected", optionId: "allow_once" } }),
    ended: () => {},
  })
  await rpc.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await rpc.ask("session/new", { cwd, mcpServers: [] })
  await rpc.ask("session/set_mode", { sessionId, modeId: "agent-full-access" })
  const prompt = [{ type: "text", text: PROMPT }]
  await rpc.ask("session/prompt", { sessionId, prompt })
  await owned.end()
}

async function command(home: string): Promise<Driven> {
  const line = ["/bin/sh", "-c", `sleep 0.5; ${CODE}`] as const
  const runtime = commandRuntime({ command: line, path: PATH })
  return { runtime, env: { PATH, HOME: home }, bare: line }
}

const driver = (name: string, prepare: Prepare): Figure => ({
  name: `driver-${name}`,
  subject: `a session of ${name} through our runtime, one command of its model`,
  baseline: "the bare program with the same prompt",
  unit: "ms",
  ratioMax: 1.1,
  measure: async (place) => {
    const bench = await Bench.make(place, prepare)
    if (bench === undefined) return notFetched
    await using _bench = bench
    return await bench.compare(
      place,
      () => bench.runBare(),
      () => bench.drive(),
    )
  },
})

const notFetched: NotMeasurable = {
  notMeasurable: "the program is not there: `npm run test:agents` fetches it",
}

const warmContainer: Figure = {
  name: "container",
  subject: "a session of claude in a container, of an image that the machine has",
  baseline: "the same without a container",
  unit: "ms",
  ratioMax: 1.3,
  measure: async (place) => {
    const bench = await Bench.make(place, claude(claudeRuntime))
    if (bench === undefined) return notFetched
    await using _bench = bench
    using image = new TestImage()
    if (image.missing !== undefined) return { notMeasurable: image.missing }
    Object.assign(process.env, image.env)
    await using boxed = new ProcessOwner(await containing(bench, image.name))
    return await bench.compare(
      place,
      () => bench.drive(),
      () => bench.drive(boxed),
    )
  },
}

async function containing({ cwd, home }: Bench, image: string): Promise<OwnerOptions> {
  const engine = await findEngine("podman", process.env)
  const fence: Fence = {
    ...{ home, writable: [cwd], readable: [], fixed: [], caches: [], network: true },
  }
  const limits = { devcontainer: false, memory: "2g", cpus: undefined, pids: 500 }
  const config = { image, engine: engine.name, ...limits }
  return {
    mark: `bench-${randomUUID()}`,
    contain: async (launch) => inContainer(launch, fence, { engine, config, labels: {}, set: {} }),
  }
}

/** One agent program, and the two ways to run it. */
class Bench implements AsyncDisposable {
  readonly cwd: string
  readonly home: string
  readonly #driven: Driven
  readonly #owner = new ProcessOwner({ mark: `bench-${randomUUID()}` })

  static async make({ folder }: Place, prepare: Prepare): Promise<Bench | undefined> {
    const [cwd, home] = [join(folder, "work"), join(folder, "home")]
    for (const path of [cwd, home]) mkdirSync(path)
    const driven = await prepare(home)
    return driven && new Bench(cwd, home, driven)
  }

  private constructor(cwd: string, home: string, driven: Driven) {
    this.cwd = cwd
    this.home = home
    this.#driven = driven
  }

  async compare(
    { signal }: Place,
    baseline: () => Promise<void>,
    subject: () => Promise<void>,
  ): Promise<Samples> {
    const prepare = () => rmSync(join(this.cwd, "made.txt"), { force: true })
    return await timeRounds({ rounds: ROUNDS, signal, prepare, baseline, subject })
  }

  async runBare(): Promise<void> {
    const [program, ...args] = this.#driven.bare
    const { cwd } = this
    const of = { purpose: "agent", task: null } as const
    const { env, serve } = this.#driven
    const owned = await this.#owner.spawn(program, args, { cwd, env, ...of })
    if (serve) {
      await serve(owned, cwd)
      return this.#demandFile("")
    }
    const { child, exited } = owned
    child.stdin?.end()
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data) => (said += String(data)))
    const { code } = await exited
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`)
    this.#demandFile(said)
  }

  async drive(owner = this.#owner): Promise<void> {
    const told: string[] = []
    const end = await this.#driven.runtime.run(this.#session(owner, told))
    if (end.kind !== "ended") throw new Error(`${JSON.stringify(end)}: ${told.join("\n")}`)
    this.#demandFile(told.join("\n"))
  }

  #demandFile(said: string): void {
    const file = join(this.cwd, "made.txt")
    if (!existsSync(file) || readFileSync(file, "utf8") !== "made\n")
      throw new Error(`the command of the model did not run:\n${said}`)
  }

  #session(owner: ProcessOwner, told: string[]): SessionStart {
    const id = randomUUID() as SessionId
    const prompts = {
      systemPrompt: async () => "",
      freshPrompt: async () => PROMPT,
      forkOf: undefined,
    }
    return {
      conversation: { id, resume: false, programId: null, learnId: () => {}, ...prompts },
      turn: { n: 1, prompt: PROMPT, repeated: false, phase: "working" },
      place: { cwd: this.cwd, otherWorktrees: [], scratch: this.home, env: this.#driven.env },
      model: undefined,
      servers: [],
      limits: { turnsMax: 50, costUsdMax: undefined, verdictMsMax: 60_000, handoffAt: 1 },
      person: { permit: undefined, ask: async () => undefined, waitMsMax: 1_000 },
      words: { follow: () => () => {}, find: () => undefined },
      report: {
        event: ({ text }) => told.push(text),
        writes: () => {},
        usage: () => {},
        limit: () => {},
      },
      signal: new AbortController().signal,
      spawn: async (program, args, options) =>
        await owner.spawn(program, args, { ...options, purpose: "agent", task: null }),
      endTurn: async () => undefined,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owner[Symbol.asyncDispose]()
    await this.#driven.api?.[Symbol.asyncDispose]()
  }
}

export const drivers: readonly Figure[] = [
  driver("command", command),
  driver("claude", claude(claudeRuntime)),
  driver("claude-cli", claude(claudeCliRuntime)),
  driver("codex", codex),
  driver("acp", acp),
  warmContainer,
]
