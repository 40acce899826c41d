/** The real Codex in a home of its own, with a model on loopback. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codexRuntime } from "../../src/features/codex/runtime.ts"
import type { Overrides, TestSession } from "../../src/kernel/runtime/contract.ts"
import type { Runtime } from "../../src/kernel/runtime/runtime.ts"
import { findAgentFolder } from "./agent-programs.ts"
import { ResponsesApi, type ResponsesScript } from "./responses-api.ts"

/** A model that says or runs what the prompt tells it, for the contract of runtimes. */
const OBEYS: ResponsesScript = ({ text, outputs }) => {
  const [, verb, rest = "what?"] = /^(?:\[brief\] )?(SAY|RUN) ([^]+)$/.exec(text) ?? []
  if (outputs.length > 0) return { text: "ran it" }
  return verb === "RUN" ? { run: rest } : { text: rest }
}

/** Undefined: it was not fetched. */
export const CODEX_FOLDER = findAgentFolder("codex")

export class TestCodex implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "codex-home-"))
  readonly api: ResponsesApi
  readonly env: Record<string, string>
  readonly runtime: Runtime

  constructor(api: ResponsesApi) {
    this.api = api
    this.runtime = codexRuntime({ env: { PATH: CODEX_FOLDER } })
    const own = { HOME: this.home, TMPDIR: this.home, CODEX_HOME: join(this.home, ".codex") }
    this.env = { PATH: `${CODEX_FOLDER}:/usr/bin:/bin`, OPENAI_API_KEY: "none", ...own }
    mkdirSync(own.CODEX_HOME)
    writeFileSync(join(own.CODEX_HOME, "config.toml"), api.codexConfig)
  }

  static readonly start = async (script: ResponsesScript) =>
    new TestCodex(await ResponsesApi.start(script))

  /** For the contract of runtimes. */
  static async startObeying() {
    const say = (text: string) => `SAY ${text}`
    const run = (code: string) => `RUN ${code}`
    return Object.assign(await TestCodex.start(OBEYS), { say, run })
  }

  async run(session: TestSession, overrides: Overrides & { prompt?: string } = {}) {
    return await this.runtime.run(session.start({ prompt: "do it", env: this.env, ...overrides }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]()
    rmSync(this.home, { recursive: true, force: true })
  }
}
