/**
 * Agent programs that need no coppice.yml: `run --agent <name>` starts one that is on the PATH.
 *
 * `doctor` uses the same rows: where each keeps its login, the command that logs in, and the oldest
 * version that knows what its runtime asks of it.
 */

import { findVersion, isAtLeast, type Version } from "../base/requirements.ts"
import type { AgentProgram } from "./config.ts"

export type KnownAgent = {
  /** The name of the agent, and of its program on the PATH. */
  readonly name: string
  readonly program: AgentProgram
  readonly install: string
  readonly update: string
  /** Undefined: any, as far as we know. */
  readonly oldest?: Version
  /** The variable that names another program than the one on the PATH. */
  readonly override?: string
  readonly login: {
    readonly command: string
    /** Variables that hold a key. */
    readonly keys: readonly string[]
    /** A file below the folder that the variable names, else below the user's home. */
    readonly folder: { readonly variable: string; readonly inHome: string }
    /** Undefined: nothing says where it is. */
    readonly file?: string
  }
}

const acp = (...command: readonly string[]): AgentProgram => ({
  runtime: "acp",
  command,
  resume: undefined,
})

const CLAUDE_LOGIN: KnownAgent["login"] = {
  command: "claude, then /login",
  keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  folder: { variable: "CLAUDE_CONFIG_DIR", inHome: ".claude" },
  file: ".credentials.json",
}

const CODEX_LOGIN: KnownAgent["login"] = {
  command: "codex login",
  keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  folder: { variable: "CODEX_HOME", inHome: ".codex" },
  file: "auth.json",
}

/** A login that the program alone can find. */
const ownLogin = (command: string): KnownAgent["login"] => ({
  command,
  keys: [],
  folder: { variable: "HOME", inHome: "" },
})

const npm = (spec: string) => ({
  install: `npm install -g ${spec}`,
  update: `npm install -g ${spec}@latest`,
})

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: "claude",
    program: { runtime: "claude", command: undefined, resume: undefined },
    install: "npm install -g @anthropic-ai/claude-code",
    update: "claude update",
    oldest: { major: 2, minor: 0 },
    override: "COPPICE_CLAUDE",
    login: CLAUDE_LOGIN,
  },
  {
    name: "codex",
    program: { runtime: "codex", command: undefined, resume: undefined },
    ...npm("@openai/codex"),
    oldest: { major: 0, minor: 99 }, // `turn/steer`
    override: "COPPICE_CODEX",
    login: CODEX_LOGIN,
  },
  {
    name: "gemini",
    program: acp("gemini", "--acp"),
    ...npm("@google/gemini-cli"),
    oldest: { major: 0, minor: 33 }, // `--acp`
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
    ...npm("opencode-ai"),
    oldest: { major: 1, minor: 0 },
    login: {
      command: "opencode auth login",
      keys: [],
      folder: { variable: "XDG_DATA_HOME", inHome: ".local/share" },
      file: "opencode/auth.json",
    },
  },
  {
    name: "claude-agent-acp",
    program: acp("claude-agent-acp"),
    ...npm("@agentclientprotocol/claude-agent-acp"),
    login: CLAUDE_LOGIN,
  },
  {
    name: "codex-acp",
    program: acp("codex-acp"),
    ...npm("@agentclientprotocol/codex-acp"),
    login: CODEX_LOGIN,
  },
  {
    name: "goose",
    program: acp("goose", "acp"),
    install: "brew install block-goose-cli",
    update: "goose update",
    login: ownLogin("goose configure"),
  },
  {
    name: "qwen",
    program: acp("qwen", "--acp"),
    ...npm("@qwen-code/qwen-code"),
    login: ownLogin("qwen"),
  },
  {
    name: "kimi",
    program: acp("kimi", "acp"),
    install: "uv tool install kimi-cli",
    update: "uv tool upgrade kimi-cli",
    login: ownLogin("kimi, then /login"),
  },
  {
    name: "copilot",
    program: acp("copilot", "--acp"),
    ...npm("@github/copilot"),
    login: ownLogin("copilot login"),
  },
  {
    name: "cursor-agent",
    program: acp("cursor-agent", "acp"),
    install: "curl https://cursor.com/install -fsS | bash",
    update: "cursor-agent update",
    login: ownLogin("cursor-agent login"),
  },
  {
    name: "auggie",
    program: acp("auggie", "--acp"),
    ...npm("@augmentcode/auggie"),
    login: ownLogin("auggie login"),
  },
]

export const findKnownAgent = (name: string | undefined): KnownAgent | undefined =>
  KNOWN_AGENTS.find((agent) => agent.name === name)

/** Undefined: the program is new enough, or its version is unknown. */
export function findOutdated(
  { name, oldest, update }: Pick<KnownAgent, "name" | "oldest" | "update">,
  saidVersion: string,
): { readonly why: string; readonly hint: string } | undefined {
  const version = findVersion(saidVersion)
  if (!version || !oldest || isAtLeast(version, oldest)) return undefined
  const [found] = /\d+(\.\d+)+/.exec(saidVersion) ?? []
  const why = `${name} ${found} is too old: Coppice needs ${oldest.major}.${oldest.minor} or newer`
  return { why, hint: `\`${update}\` updates it.` }
}
