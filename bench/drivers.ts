/**
 * The cost of driving an agent program: one scripted session through our runtime, against the bare
 * program with the same prompt. The model is a script on loopback: it runs one command, then it stops.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../src/base/ids.ts"
import { acpRuntime } from "../src/features/acp/runtime.ts"
import { chooseClaudeProgram } from "../src/features/claude/program.ts"
import { claudeCliRuntime, claudeRuntime } from "../src/features/claude/runtime.ts"
import { codexRuntime } from "../src/features/codex/runtime.ts"
import { commandRuntime } from "../src/features/command/runtime.ts"
import { inContainer } from "../src/features/containment/container.ts"
import { findEngine } from "../src/features/containment/container-engine.ts"
import { fieldsOf, listOf } from "../src/features/runtimes/json-fields.ts"
import { JsonRpc } from "../src/features/runtimes/json-rpc.ts"
import { type Fence, realPath } from "../src/kernel/process/fence.ts"
import type { OwnedChild } from "../src/kernel/process/owned-child.ts"
import { type OwnerOptions, ProcessOwner } from "../src/kernel/process/owner.ts"
import type { Runtime, SessionStart } from "../src/kernel/runtime/runtime.ts"
import {
  ACP_PROGRAMS,
  type AcpProgramName,
  type AcpScript,
  findAcpCommand,
} from "../test/support/acp-programs.ts"
import { findAgentFolder } from "../test/support/agent-programs.ts"
import { TestImage } from "../test/support/container.ts"
import { MessagesApi } from "../test/support/messages-api.ts"
import { bash } from "../test/support/messages-api-reply.ts"
import { ResponsesApi } from "../test/support/responses-api.ts"
import { waitFor } from "../test/support/wait-for.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { heapMiB } from "./resident.ts"
import { timeRounds } from "./rounds.ts"

const ROUNDS = 9
/** The other programs over ACP take seconds to start. */
const ROUNDS_OF_SLOW = 3
const SLOW = ["gemini", "opencode"]
const PROMPT = "Make the file"
const CODE = "echo made > made.txt"
const PATH = "/usr/bin:/bin"
/** Some programs take 650 MB each. */
const HELD_SESSIONS = 3
const HELD_ROUNDS = 3
const HELD_MS_MAX = 120_000
const HELD_CODE = `printf x >> held; until [ -e go ]; do sleep 0.05; done; ${CODE}`

type Driven = {
  readonly runtime: Runtime
  readonly env: Readonly<Record<string, string>>
  /** The bare program, as a person would give it this prompt. */
  readonly bare: readonly [program: string, ...args: string[]]
  /** Talks as an editor to a program that serves one, then ends the program. */
  readonly serve?: (owned: OwnedChild, cwd: string) => Promise<void>
  readonly api?: AsyncDisposable
}

/** @param home an empty folder. @param code what the model runs. @returns undefined: no program. */
type Prepare = (home: string, code: string) => Promise<Driven | undefined>

const claude =
  (make: typeof claudeRuntime): Prepare =>
  async (home, code) => {
    const program = chooseClaudeProgram({ env: {} })
    if (program.kind === "missing") return undefined
    const api = await MessagesApi.start(({ tools, toolResults }) =>
      tools.includes("Bash") && toolResults.length === 0
        ? { tools: [bash(code)] }
        : { text: "Done." },
    )
    const env = { PATH, HOME: home, TMPDIR: home, ...api.env }
    const runtime = make({ env: { PATH, COPPICE_CLAUDE: program.path } })
    const bare = [program.path, "--print", "--allowedTools", "Bash", "--", PROMPT] as const
    return { runtime, env, bare, api }
  }

const codex: Prepare = async (home, code) => {
  const folder = findAgentFolder("codex")
  if (folder === undefined) return undefined
  const api = await ResponsesApi.start(({ outputs }) =>
    outputs.length === 0 ? { run: code } : { text: "Done." },
  )
  const CODEX_HOME = join(home, ".codex")
  mkdirSync(CODEX_HOME)
  writeFileSync(join(CODEX_HOME, "config.toml"), api.codexConfig)
  const own = { HOME: home, TMPDIR: home, CODEX_HOME, OPENAI_API_KEY: "none" }
  const env = { PATH: `${folder}:${PATH}`, ...own }
  const bare = [join(folder, "codex"), "app-server"] as const
  const runtime = codexRuntime({ env: { PATH: folder } })
  return { runtime, env, bare, serve: askCodexOnce, api }
}

const acp =
  (name: AcpProgramName): Prepare =>
  async (home, code) => {
    const words = findAcpCommand(name)
    if (words === undefined) return undefined
    const script: AcpScript = (_, hasResults) => (hasResults ? { text: "Done." } : { run: code })
    const api = await ACP_PROGRAMS[name].start(script, home)
    const path = `${join(process.execPath, "..")}:${PATH}`
    const env = { PATH: path, HOME: home, TMPDIR: home, ...api.env }
    return { runtime: acpRuntime({ command: words, path }), env, bare: words, serve: askOnce, api }
  }

/** The fewest requests of an editor to `codex app-server`. */
async function askCodexOnce(owned: OwnedChild, cwd: string): Promise<void> {
  const completed = Promise.withResolvers<void>()
  const rpc = new JsonRpc(owned, {
    notified: (method) => method === "turn/completed" && completed.resolve(),
    asked: async () => ({}),
    ended: () => completed.reject(new Error("codex ended")),
  })
  const clientInfo = { name: "bench", title: "Bench", version: "1" }
  await rpc.ask("initialize", { clientInfo })
  rpc.notify("initialized")
  const unattended = { approvalPolicy: "never", sandbox: "danger-full-access" }
  const { thread } = await rpc.ask("thread/start", { cwd, ...unattended })
  const input = [{ type: "text", text: PROMPT, text_elements: [] }]
  await rpc.ask("turn/start", { threadId: fieldsOf(thread)["id"], input })
  await completed.promise
  await owned.end()
}

/** The fewest requests of an editor over ACP. */
async function askOnce(owned: OwnedChild, cwd: string): Promise<void> {
  const rpc = new JsonRpc(owned, {
    notified: () => {},
    asked: async (_, { options }) => {
      const once = listOf(options).find(({ kind }) => kind === "allow_once")
      return { outcome: { outcome: "selected", optionId: once?.["optionId"] } }
    },
    ended: () => {},
  })
  await rpc.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const opened = await rpc.ask("session/new", { cwd, mcpServers: [] })
  const { sessionId } = opened
  const modes = listOf(fieldsOf(opened["modes"])["availableModes"]).map(({ id }) => id)
  const modeId = "agent-full-access" // of the adapter of Codex
  if (modes.includes(modeId)) await rpc.ask("session/set_mode", { sessionId, modeId })
  const prompt = [{ type: "text", text: PROMPT }]
  await rpc.ask("session/prompt", { sessionId, prompt })
  await owned.end()
}

async function command(home: string, code: string): Promise<Driven> {
  const line = ["/bin/sh", "-c", `sleep 0.5; ${code}`] as const
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
      { signal: place.signal, rounds: SLOW.includes(name) ? ROUNDS_OF_SLOW : ROUNDS },
      () => bench.runBare(),
      () => bench.drive(),
    )
  },
})

/** The daemon's part of a session; the agent program is another process. */
const memory = (name: string, prepare: Prepare): Figure => ({
  name: `memory-${name}`,
  subject: `${HELD_SESSIONS} sessions of ${name} whose models run a command, with these models: our heap, for each`,
  baseline: "the same process before, divided alike",
  unit: "MiB",
  addedMax: 1,
  measure: async (place) => {
    const bench = await Bench.make(place, prepare, HELD_CODE)
    if (bench === undefined) return notFetched
    await using _bench = bench
    return await bench.hold(place)
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
    findReal: realPath,
  }
  const limits = { devcontainer: false, memory: "2g", cpus: undefined, pids: 500 }
  const config = { image, engine: engine.name, ...limits }
  return {
    mark: `bench-${randomUUID()}`,
    contain: async (launch) =>
      inContainer(launch, fence, { engine, config, labels: {}, set: {}, stateDir: home }),
  }
}

/** One agent program, and the two ways to run it. */
class Bench implements AsyncDisposable {
  readonly cwd: string
  readonly home: string
  readonly #driven: Driven
  readonly #owner = new ProcessOwner({ mark: `bench-${randomUUID()}` })

  static async make(
    { folder }: Place,
    prepare: Prepare,
    code: string = CODE,
  ): Promise<Bench | undefined> {
    const [cwd, home] = [join(folder, "work"), join(folder, "home")]
    for (const path of [cwd, home]) mkdirSync(path)
    const driven = await prepare(home, code)
    return driven && new Bench(cwd, home, driven)
  }

  private constructor(cwd: string, home: string, driven: Driven) {
    this.cwd = cwd
    this.home = home
    this.#driven = driven
  }

  async compare(
    { signal, rounds = ROUNDS }: Pick<Place, "signal"> & { readonly rounds?: number },
    baseline: () => Promise<void>,
    subject: () => Promise<void>,
  ): Promise<Samples> {
    const prepare = () => rmSync(join(this.cwd, "made.txt"), { force: true })
    return await timeRounds({ rounds, signal, prepare, baseline, subject })
  }

  /** The first round loads code, and does not count. */
  async hold({ signal }: Place): Promise<Samples> {
    const samples = { baseline: [] as number[], subject: [] as number[] }
    for (let round = 0; round <= HELD_ROUNDS; round++) {
      signal.throwIfAborted()
      for (const name of ["made.txt", "held", "go"]) rmSync(join(this.cwd, name), { force: true })
      const before = (await heapMiB()) / HELD_SESSIONS
      const running = Promise.all(Array.from({ length: HELD_SESSIONS }, () => this.drive()))
      const after = Promise.race([running, this.#held()]).then(() => heapMiB())
      const during = await after.finally(() => writeFileSync(join(this.cwd, "go"), ""))
      await running
      if (round === 0) continue
      samples.baseline.push(before)
      samples.subject.push(during / HELD_SESSIONS)
    }
    return samples
  }

  async #held(): Promise<void> {
    const file = join(this.cwd, "held")
    await waitFor("the sessions", () => {
      return existsSync(file) && readFileSync(file, "utf8").length >= HELD_SESSIONS
    }, HELD_MS_MAX) // biome-ignore format: one call
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
      messages: { follow: () => () => {}, find: () => undefined },
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

/** The adapter of Codex is the fastest program over ACP that we test. */
const DRIVEN = Object.entries({
  command,
  claude: claude(claudeRuntime),
  "claude-cli": claude(claudeCliRuntime),
  codex,
  acp: acp("codex-acp"),
  gemini: acp("gemini"),
  opencode: acp("opencode"),
})

export const drivers: readonly Figure[] = [
  ...DRIVEN.map(([name, prepare]) => driver(name, prepare)),
  ...DRIVEN.map(([name, prepare]) => memory(name, prepare)),
  warmContainer,
]
