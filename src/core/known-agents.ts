/**
 * Agent programs that need no coppice.yml: `run --agent <name>` starts one that is on the PATH.
 *
 * `doctor` uses the same rows: where each keeps its login, the command that logs in, and the oldest
 * version that knows what its runtime asks of it.
 */
import type { AgentProgram } from "./config.ts"
import { findVersion, isAtLeast, type Version } from "./requirements.ts"

export type KnownAgent = {
  /** The name of the agent, and of its program on the PATH. */
  readonly name: string
  readonly program: AgentProgram
  readonly install: string
  readonly update: string
  readonly oldest: Version
  /** The variable that names another program than the one on the PATH. */
  readonly override?: string
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
    update: "claude update",
    oldest: { major: 2, minor: 0 },
    override: "COPPICE_CLAUDE",
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
    update: "npm install -g @openai/codex@latest",
    oldest: { major: 0, minor: 99 }, // `turn/steer`
    override: "COPPICE_CODEX",
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
    update: "npm install -g @google/gemini-cli@latest",
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
    install: "npm install -g opencode-ai",
    update: "npm install -g opencode-ai@latest",
    oldest: { major: 1, minor: 0 },
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

/** Undefined: the program is new enough, or its version is unknown. */
export function findOutdated(
  { name, oldest, update }: Pick<KnownAgent, "name" | "oldest" | "update">,
  saidVersion: string,
): { readonly why: string; readonly hint: string } | undefined {
  const version = findVersion(saidVersion)
  if (!version || isAtLeast(version, oldest)) return undefined
  const [found] = /\d+(\.\d+)+/.exec(saidVersion) ?? []
  const why = `${name} ${found} is too old: Coppice needs ${oldest.major}.${oldest.minor} or newer`
  return { why, hint: `\`${update}\` updates it.` }
}
