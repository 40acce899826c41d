/** The real Claude Code as a runtime, with a scripted model. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chooseClaudeProgram } from "../../src/features/claude/program.ts"
import type { claudeRuntime } from "../../src/features/claude/runtime.ts"
import type { Overrides, TestSession } from "../../src/kernel/runtime/contract.ts"
import type { Runtime } from "../../src/kernel/runtime/runtime.ts"
import type { MessagesApi } from "./messages-api.ts"

const BACKGROUND_MS_MAX = 1_000

/** The program in the SDK, a home of its own, and a model on loopback. */
export class TestClaude implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "claude-home-"))
  readonly api: MessagesApi
  readonly env: Record<string, string>
  readonly runtime: Runtime

  constructor(api: MessagesApi, make: typeof claudeRuntime) {
    this.api = api
    const env = { PATH: "/usr/bin:/bin", COPPICE_CLAUDE: bundledClaude() }
    this.runtime = make({ env, backgroundMsMax: BACKGROUND_MS_MAX })
    const path = { PATH: "/usr/bin:/bin", HOME: this.home, TMPDIR: this.home }
    this.env = { ...path, ...api.env, CLAUDE_CODE_MAX_RETRIES: "2" }
  }

  async run(session: TestSession, overrides: Overrides & { prompt?: string } = {}) {
    return await this.runtime.run(session.start({ prompt: "do it", env: this.env, ...overrides }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]()
    rmSync(this.home, { recursive: true, force: true })
  }
}

function bundledClaude(): string {
  const program = chooseClaudeProgram({ env: {} })
  if (program.kind === "missing") throw new Error("install the optional dependencies of the SDK")
  return program.path
}
