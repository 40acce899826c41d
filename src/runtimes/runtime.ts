/**
 * A runtime is our way of driving an agent program. One implementation per program.
 *
 * It starts or resumes a session with a first turn. At every end of a turn it asks `turnEnded` what
 * follows. The answer is another prompt in the same conversation, or nothing: then it ends its
 * process and returns. It decides nothing, stores nothing and knows neither tasks nor git.
 *
 * Must stay true of every implementation (contract.ts): when `run` settles, or within 5 s after
 * `signal` aborts, no process that it started is left.
 */
import type { SessionId } from "../core/ids.ts"
import type { ToolUse } from "../core/permissions.ts"
import type { Usage } from "../core/wire.ts"
import type { SpawnOwned } from "../process/owned-child.ts"

export interface Runtime {
  readonly name: "claude" | "command"
  /**
   * Names the login that an agent with this environment uses, never a key; null: one without
   * limits.
   */
  account(env: Readonly<Record<string, string>>): string | null
  /** Undefined when the program is there; otherwise what is missing, and hints. */
  unavailable(): Promise<
    { readonly message: string; readonly hints: readonly string[] } | undefined
  >
  /**
   * Names the holder of an agent's conversations in this environment; only the same holder can
   * resume them. Its first word is the runtime's name.
   */
  holder(env: Readonly<Record<string, string>>): string
  /** How a person opens a conversation in the agent's own program. */
  interactive(conversation: Conversation): Interactive
  /**
   * Runs turns of one session until `turnEnded` says stop, the program fails or `signal` aborts.
   */
  run(session: SessionStart): Promise<SessionEnd>
}

export type Conversation = Pick<SessionStart, "sessionId" | "otherWorktrees">

/** A program to start; `env` extends and overrides the agent's own environment. */
export type Program = {
  readonly program: string
  readonly args: string[]
  readonly env: Record<string, string>
}

export type Interactive =
  | (Program & { readonly kind: "program" })
  | { readonly kind: "none"; readonly reason: string; readonly hints: readonly string[] }

export type SessionStart = {
  readonly sessionId: SessionId
  /** The conversation may exist already: resume it if the program knows it, else start it. */
  readonly resume: boolean
  readonly turn: Turn
  /** Replaces the first turn's prompt if the program does not know the conversation. */
  freshPrompt(): Promise<string>
  /** Absolute path of the worktree. */
  readonly cwd: string
  /** Absolute paths of the task's worktrees in further repositories. */
  readonly otherWorktrees: readonly string[]
  /** The whole environment of the program; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** Facts and instructions that precede the conversation. */
  systemPrompt(): Promise<string>
  readonly model: string | undefined
  readonly turnsMax: number
  /** Share of the program's context, in (0, 1], at which we ask for a handoff; 1: never. */
  readonly handoffAt: number
  /** The rest of the session's budget, in US dollars; undefined: no limit. */
  readonly costUsdMax: number | undefined
  /** How long `turnEnded` may take, in ms; the program's own time limits must be longer. */
  readonly verdictMsMax: number
  readonly signal: AbortSignal
  /** Starts a child process that is recorded and ends with us (process/owner.ts). */
  readonly spawn: SpawnOwned
  emit(event: AgentEvent): void
  /**
   * Whether the agent may use a tool now; may wait for a person. Undefined: every tool is allowed.
   */
  readonly permit: ((use: ToolUse, signal: AbortSignal) => Promise<Permission>) | undefined
  /** Asks a person on the agent's behalf. @returns undefined if there was no answer in time. */
  ask(question: AgentQuestion, signal: AbortSignal): Promise<string | undefined>
  /** Reports the further usage of turn `n`. It counts even if the turn is cut off later. */
  spent(n: number, usage: Usage): void
  /** Reports how much of its limit the account has used, if the program knows. */
  limitSeen(limit: SeenLimit): void
  /** How long `permit` and `ask` may take, in ms. */
  readonly personMsMax: number
  /**
   * Records the end of a turn. Settles soon after `signal` aborts; `run` never settles before it.
   * @returns the next turn; undefined: the agent must stop.
   */
  turnEnded(end: TurnEnd): Promise<Turn | undefined>
}

export type Turn = {
  /** COPPICE_TURN. */
  readonly n: number
  readonly prompt: string
  /** The agent may have had this prompt before, and was interrupted. */
  readonly repeated: boolean
  /** In `planning` the agent must change nothing: its last message is the plan. */
  readonly phase: "planning" | "working"
}

export type TurnEnd = {
  readonly n: number
  /** The last thing the agent said, or null. */
  readonly message: string | null
  /** Usage that `spent` has not reported yet. */
  readonly usage: Usage
  /** The context was nearly full, and `message` is for the next conversation. */
  readonly isHandoff: boolean
}

export type SeenLimit = {
  /** In [0, 1]; 1: nothing is served until the reset. */
  readonly share: number
  readonly resetAtMs: number
  /** The limit's name as people know it. */
  readonly name: string
}

export type Permission =
  | { readonly kind: "allowed" }
  /** `message` is for the agent. */
  | { readonly kind: "denied"; readonly message: string }

/** `choices`: possible answers; empty if any text will do. */
export type AgentQuestion = { readonly text: string; readonly choices: readonly string[] }

export type AgentEvent = {
  readonly kind: "text" | "tool" | "output" | "notice"
  readonly text: string
}

/** Why a session is over. `ended`: `turnEnded` said stop. `aborted`: `signal` did. */
export type SessionEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "aborted" }
  /**
   * The model is unavailable: the turn counts as interrupted. It is retried at `untilMs`; null:
   * soon, with growing delays. `text` completes the sentence "it waits for …".
   */
  | { readonly kind: "postponed"; readonly untilMs: number | null; readonly text: string }
  | {
      readonly kind: "stuck"
      readonly code: "needs_decision" | "failed" | "died" | "budget" | "api_refused"
      readonly text: string
    }
