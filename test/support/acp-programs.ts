/** The real programs that speak ACP, each with a scripted model on loopback. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chooseClaudeProgram } from "../../src/features/claude/program.ts"
import { type AgentProgramName, findAgentFolder, openCodeEnv } from "./agent-programs.ts"
import { GeminiApi } from "./gemini-api.ts"
import { MessagesApi } from "./messages-api.ts"
import { bash } from "./messages-api-reply.ts"
import { ResponsesApi } from "./responses-api.ts"

/** The model's reply to the texts of the user since its last answer: text, or shell code to run. */
export type AcpScript = (
  texts: readonly string[],
  hasResults: boolean,
) => { readonly text: string } | { readonly run: string }

/** A model: what a program asked it, and how it reaches it. */
export type AcpModel = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>
  readonly asked: () => string[]
  refuse(): void
}

type Start = (script: AcpScript, home: string) => Promise<AcpModel>

const gemini: Start = async (script) => {
  const api = await GeminiApi.start(({ text, results }) => script([text], results > 0))
  return {
    env: api.env,
    asked: () => api.asks.map(({ whole }) => whole),
    refuse: () => {
      api.failure = 401
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

const messages =
  (envOf: (api: MessagesApi) => Record<string, string>): Start =>
  async (script) => {
    const api = await MessagesApi.start(({ tools, texts, toolResults }) => {
      const name = tools.find((tool) => /^bash$/i.test(tool))
      if (name === undefined) return { text: "no shell" }
      const said = script(texts, toolResults.length > 0)
      return "run" in said ? { tools: [{ ...bash(said.run), name }] } : said
    })
    return {
      env: envOf(api),
      asked: () => api.asks.map((ask) => JSON.stringify(ask)),
      refuse: () => {
        api.failure = { kind: "unauthorized" }
      },
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  }

/** The Claude Code and the Codex that the adapters drive are those of the other tests. */
function claudeEnv(api: MessagesApi): Record<string, string> {
  const claude = chooseClaudeProgram({ env: {} })
  if (claude.kind === "missing") throw new Error("install the optional dependencies of the SDK")
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "1" }
  return { ...api.env, ...quiet, CLAUDE_CODE_EXECUTABLE: claude.path }
}

const codex: Start = async (script, home) => {
  const api = await ResponsesApi.start(({ text, outputs }) => script([text], outputs.length > 0))
  const CODEX_HOME = join(home, ".codex")
  mkdirSync(CODEX_HOME, { recursive: true })
  // Codex warns in the conversation about a model that it does not know.
  const config = api.codexConfig.replace("fake-model", "gpt-6.1-sol")
  writeFileSync(join(CODEX_HOME, "config.toml"), config)
  const CODEX_PATH = join(findAgentFolder("codex") ?? "/nowhere", "codex")
  return {
    env: { CODEX_HOME, CODEX_PATH, OPENAI_API_KEY: "none" },
    asked: () => api.asks.map(({ whole }) => whole),
    refuse: () => {
      api.failure = 401
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

type AcpProgram = { readonly words: readonly string[]; readonly start: Start }

export const ACP_PROGRAMS = {
  gemini: { words: ["--acp"], start: gemini },
  opencode: { words: ["acp"], start: messages(openCodeEnv) },
  "claude-agent-acp": { words: [], start: messages(claudeEnv) },
  "codex-acp": { words: [], start: codex },
} as const satisfies Partial<Record<AgentProgramName, AcpProgram>>

export type AcpProgramName = keyof typeof ACP_PROGRAMS

export const ACP_PROGRAM_NAMES = Object.keys(ACP_PROGRAMS) as AcpProgramName[]

/** The words that start it; undefined: it, or the program that it drives, was not fetched. */
export function findAcpCommand(name: AcpProgramName): [string, ...string[]] | undefined {
  const folder = findAgentFolder(name)
  if (folder === undefined) return undefined
  if (name === "codex-acp" && findAgentFolder("codex") === undefined) return undefined
  return [join(folder, name), ...ACP_PROGRAMS[name].words]
}
