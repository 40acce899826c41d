/**
 * A runtime is our way of driving an agent program. One implementation per program.
 *
 * It is given a session to start or resume and a first turn. At every end of a turn it asks
 * `turnEnded` what follows: another prompt in the same conversation, or nothing, in which case it
 * ends its process and returns. It decides nothing, stores nothing and knows neither tasks nor git.
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
  /** Names the login that an agent with this environment uses, never a key; null: none that has limits. */
  account(env: Readonly<Record<string, string>>): string | null
  /** Undefined when the program is there; else what is missing and what would help. */
  unavailable(): Promise<
    { readonly message: string; readonly hints: readonly string[] } | undefined
  >
  /**
   * Names who holds the conversations of an agent with this environment: one that another holder
   * has cannot be resumed. Its first word is the runtime's name.
   */
  holder(env: Readonly<Record<string, string>>): string
  /** How a person opens a conversation in the program itself. */
  interactive(conversation: Conversation): Interactive
  /** Runs turns of one session until `turnEnded` says stop, the program fails or `signal` aborts. */
  run(session: SessionStart): Promise<SessionEnd>
}

export type Conversation = Pick<SessionStart, "sessionId" | "otherWorktrees">

/** A program to start: `env` is laid over the agent's own environment. */
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
  /** The conversation may exist already: resume it where the program knows it, else start it. */
  readonly resume: boolean
  readonly turn: Turn
  /** The prompt in place of the first turn's where the program does not know the conversation. */
  freshPrompt(): Promise<string>
  /** Absolute path of the worktree. */
  readonly cwd: string
  /** Absolute paths of the task's worktrees in further repositories. */
  readonly otherWorktrees: readonly string[]
  /** The whole environment of the program; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** Facts and instructions that stand before the conversation. */
  systemPrompt(): Promise<string>
  readonly model: string | undefined
  readonly turnsMax: number
  /** Share of the program's context, in (0, 1], from which on a handoff is asked for; 1: never. */
  readonly handoffAt: number
  /** What the session may still cost, in US dollars; undefined: without a limit. */
  readonly costUsdMax: number | undefined
  /** How long `turnEnded` may take, in ms: a program's own time limits must lie above it. */
  readonly verdictMsMax: number
  readonly signal: AbortSignal
  /** Starts a child that is known and ended with us (process/owner.ts). */
  readonly spawn: SpawnOwned
  emit(event: AgentEvent): void
  /** Whether the agent may use a tool now; may wait for a person. Undefined: it may use every one. */
  readonly permit: ((use: ToolUse, signal: AbortSignal) => Promise<Permission>) | undefined
  /** Asks a person on the agent's behalf. @returns undefined when nobody answered in time. */
  ask(question: AgentQuestion, signal: AbortSignal): Promise<string | undefined>
  /** Tells what turn `n` has used beyond what was told of it: where it is cut off, that counts. */
  spent(n: number, usage: Usage): void
  /** Tells how much of its limit the account has used, where the program knows. */
  limitSeen(limit: SeenLimit): void
  /** How long `permit` and `ask` may take, in ms. */
  readonly personMsMax: number
  /**
   * Records the end of a turn. Settles soon once `signal` aborts; `run` never settles before it.
   * @returns the next turn, or undefined when the agent shall stop.
   */
  turnEnded(end: TurnEnd): Promise<Turn | undefined>
}

export type Turn = {
  /** COPPICE_TURN. */
  readonly n: number
  readonly prompt: string
  /** The agent may have been given this prompt before, and was interrupted. */
  readonly repeated: boolean
  /** In `planning` it is to change nothing: what it says last is the plan. */
  readonly phase: "planning" | "working"
}

export type TurnEnd = {
  readonly n: number
  /** The last thing the agent said, or null. */
  readonly message: string | null
  /** Beyond what `spent` has told of the turn. */
  readonly usage: Usage
  /** The context was nearly full, and `message` is for the conversation that goes on. */
  readonly isHandoff: boolean
}

export type SeenLimit = {
  /** In [0, 1]; 1: nothing is served before it is reset. */
  readonly share: number
  readonly resetAtMs: number
  /** Which limit, as people call it. */
  readonly name: string
}

export type Permission =
  | { readonly kind: "allowed" }
  /** `message` is for the agent. */
  | { readonly kind: "denied"; readonly message: string }

/** `choices`: possible answers; none where any text is one. */
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
   * The model cannot be had now: the turn is as good as interrupted. Tried again `untilMs`; null: soon,
   * and a little later each time. `text` continues a sentence about what it waits for.
   */
  | { readonly kind: "postponed"; readonly untilMs: number | null; readonly text: string }
  | {
      readonly kind: "stuck"
      readonly code: "needs_decision" | "failed" | "died" | "budget" | "api_refused"
      readonly text: string
    }
