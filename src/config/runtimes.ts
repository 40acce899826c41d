/**
 * The abilities of each runtime, in one table. Configuration, daemon and documents ask it, so that a
 * request that a runtime cannot serve is refused with one message.
 */

export type Abilities = {
  /** The program that it drives, in a phrase. */
  readonly about: string
  /** `exact`: the task's text and nothing else. `framed`: with instructions around them. */
  readonly prompts: "exact" | "framed"
  /** Takes the name of a model. */
  readonly model: boolean
  /** Keeps `permissions`: each use of a tool is decided before it happens. */
  readonly permissions: boolean
  /** Takes servers of tools (`mcp_servers`). */
  readonly servers: boolean
  /** The program's own tool for questions reaches a person. */
  readonly questions: boolean
  /** Counts tokens, and dollars. */
  readonly tokens: boolean
  readonly cost: boolean
  /**
   * How it waits for the verdict of a landing while its program lives: in a hook, or between two
   * turns. `none`: its program has ended.
   */
  readonly verdict: "hook" | "idle" | "none"
  /**
   * How `say --now` reaches a turn that runs: as part of it (`steer`), or in the next one, for which the
   * program's own way to cancel ends it. `none`: not at all.
   */
  readonly messages: "steer" | "interrupt" | "none"
  /** Takes images with a prompt; `asked`: if the program says that it does. */
  readonly images: boolean | "asked"
  /** `run --fork` copies a conversation: always, or if the program can (`maybe`), else with a brief. */
  readonly fork: "yes" | "maybe" | "no"
  /** A person can open the conversation in the agent's own program. */
  readonly attach: boolean
}

const CLAUDE: Omit<Abilities, "about"> = {
  prompts: "framed",
  model: true,
  permissions: true,
  servers: true,
  questions: true,
  tokens: true,
  cost: true,
  verdict: "hook",
  messages: "steer",
  images: true,
  fork: "yes",
  attach: true,
}

const CODEX: Omit<Abilities, "about"> = {
  prompts: "framed",
  model: true,
  permissions: true,
  servers: true,
  questions: true,
  tokens: true,
  cost: false,
  verdict: "idle",
  messages: "steer",
  images: true,
  fork: "yes",
  attach: true,
}

const ACP: Omit<Abilities, "about"> = {
  ...CODEX,
  permissions: false,
  messages: "interrupt",
  images: "asked",
  fork: "maybe",
  attach: false,
}

const COMMAND: Omit<Abilities, "about"> = {
  prompts: "exact",
  model: false,
  permissions: false,
  servers: false,
  questions: false,
  tokens: false,
  cost: false,
  verdict: "none",
  messages: "none",
  images: false,
  fork: "no",
  attach: false,
}

export const RUNTIMES = {
  claude: { about: "Claude Code, through the Claude Agent SDK where it is installed", ...CLAUDE },
  "claude-cli": { about: "Claude Code, through its program alone", ...CLAUDE },
  codex: { about: "Codex, through its app server", ...CODEX },
  acp: { about: "any program that speaks the Agent Client Protocol", ...ACP },
  command: { about: "any program: one run is one turn", ...COMMAND },
} satisfies Readonly<Record<string, Abilities>>

/** The answer to a name that earlier versions took. */
export const CODEX_EXEC_GONE =
  "`codex-exec` is no more: use `runtime: codex`, which needs Codex 0.99 or newer"

/** Hints for a machine without a `claude` program. */
export const INSTALL_CLAUDE = [
  "Run `npm install -g @anthropic-ai/claude-code`, or without npm `curl -fsSL https://claude.ai/install.sh | bash`.",
  "If it is installed, put `claude` on the PATH of Coppice, or its path into COPPICE_CLAUDE.",
  'Or run the task with another program: `--agent codex`, or `--with "<command>"`.',
] as const

export type RuntimeName = keyof typeof RUNTIMES

export const RUNTIME_NAMES = Object.keys(RUNTIMES) as [RuntimeName, ...RuntimeName[]]

export const abilitiesOf = (runtime: RuntimeName): Abilities => RUNTIMES[runtime]
