/**
 * Agent programs that need no coppice.yml: `run --agent <name>` starts one that is on the PATH.
 *
 * `doctor` uses the same rows: where each keeps its login, and the command that logs in.
 */
import type { AgentProgram } from "./config.ts"

export type KnownAgent = {
  /** The name of the agent, and of its program on the PATH. */
  readonly name: string
  readonly program: AgentProgram
  readonly install: string
  readonly login: {
    readonly command: string
    /** Variables that hold a key. */
    readonly keys: readonly string[]
    /** A file below the folder that the variable names, else below the user's home. */
    readonly folder: { readonly variable: string; readonly inHome: string }
    readonly file: string
  }
}

const acp = (...command: readonly string[]): AgentProgram => ({
  runtime: "acp",
  command,
  resume: undefined,
})

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: "claude",
    program: { runtime: "claude", command: undefined, resume: undefined },
    install: "npm install -g @anthropic-ai/claude-code",
    login: {
      command: "claude, then /login",
      keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
      folder: { variable: "CLAUDE_CONFIG_DIR", inHome: ".claude" },
      file: ".credentials.json",
    },
  },
  {
    name: "codex",
    program: { runtime: "codex", command: undefined, resume: undefined },
    install: "npm install -g @openai/codex",
    login: {
      command: "codex login",
      keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
      folder: { variable: "CODEX_HOME", inHome: ".codex" },
      file: "auth.json",
    },
  },
  {
    name: "gemini",
    program: acp("gemini", "--acp"),
    install: "npm install -g @google/gemini-cli",
    login: {
      command: "gemini",
      keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      folder: { variable: "GEMINI_CLI_HOME", inHome: "" },
      file: ".gemini/oauth_creds.json",
    },
  },
  {
    name: "opencode",
    program: acp("opencode", "acp"),
    install: "npm install -g opencode-ai",
    login: {
      command: "opencode auth login",
      keys: [],
      folder: { variable: "XDG_DATA_HOME", inHome: ".local/share" },
      file: "opencode/auth.json",
    },
  },
]

export const findKnownAgent = (name: string | undefined): KnownAgent | undefined =>
  KNOWN_AGENTS.find((agent) => agent.name === name)
