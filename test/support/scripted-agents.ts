/** Real agent programs with a scripted model: what they need in a fleet, and what their models were told. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findAgentFolder } from "./agent-programs.ts"
import type { Fleet } from "./fleet.ts"
import { MessagesApi } from "./messages-api.ts"
import { bash } from "./messages-api-reply.ts"
import { ResponsesApi } from "./responses-api.ts"

/** @returns shell code, nothing to say, or a wait for ever. */
export type Says = (
  conversation: string,
  hasResults: boolean,
) => string | undefined | Promise<string | undefined>

export type ScriptedAgent = AsyncDisposable & {
  readonly runtime: string
  /** The whole conversation of each request, in order. */
  conversations(): readonly string[]
  /** The program's own folder of conversations. */
  readonly folder: string
}

async function startClaude(runtime: string, fleet: Fleet, says: Says): Promise<ScriptedAgent> {
  const api = await MessagesApi.start(async ({ conversation, toolResults }) => {
    const code = await says(conversation, toolResults.length > 0)
    return code === undefined ? { text: "Done." } : { tools: [bash(code)] }
  })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  return {
    runtime,
    conversations: () => api.asks.map(({ conversation }) => conversation),
    folder: join(fleet.home.path, ".claude/projects"),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

async function startCodex(fleet: Fleet, says: Says): Promise<ScriptedAgent> {
  const api = await ResponsesApi.start(async ({ whole, outputs }) => {
    const code = await says(whole, outputs.length > 0)
    return code === undefined ? { text: "Done." } : { run: code }
  })
  const home = join(fleet.home.path, ".codex")
  mkdirSync(home)
  writeFileSync(join(home, "config.toml"), api.codexConfig)
  const PATH = `${findAgentFolder("codex")}:${fleet.env["PATH"]}`
  Object.assign(fleet.extra, { PATH, OPENAI_API_KEY: "none" })
  return {
    runtime: "codex",
    conversations: () => api.asks.map(({ whole }) => whole),
    folder: join(home, "sessions"),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

const isCodexThere = findAgentFolder("codex") !== undefined

export const SCRIPTED_AGENTS = {
  claude: {
    isThere: true,
    start: (fleet: Fleet, says: Says) => startClaude("claude", fleet, says),
  },
  "claude-cli": {
    isThere: true,
    start: (fleet: Fleet, says: Says) => startClaude("claude-cli", fleet, says),
  },
  codex: { isThere: isCodexThere, start: startCodex },
} as const
