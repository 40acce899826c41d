/**
 * A runtime is our way of driving an agent program. One implementation per program.
 *
 *   run ─► start the program in `place` ─► prompt ─► work ─► endTurn ─┬─► the next turn's prompt
 *                                                                     └─► nothing: end the program
 *
 * It decides nothing, stores nothing and knows neither tasks nor git. {@link SessionStart} is all that
 * it needs to know, and takes all that it reports.
 *
 * Must stay true of every implementation (contract.ts): when `run` settles, or within 5 s after
 * `signal` aborts, no process that it started is left.
 */

import type { Usage } from "../../api/wire/tasks.ts"
import type { SessionId } from "../../base/ids.ts"
import type { McpServer } from "../../config/config.ts"
import type { RuntimeName } from "../../config/runtimes.ts"
import type { SpawnOwned } from "../process/owned-child.ts"
import type { ImageType } from "../tasks/rules/files.ts"

export interface Runtime {
  readonly name: RuntimeName
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
  interactive(
    conversation: Pick<Conversation, "id" | "programId">,
    otherWorktrees: readonly string[],
  ): Interactive
  /**
   * Runs turns of one session until `endTurn` says stop, the program fails or `signal` aborts.
   *
   * @throws the error of `endTurn` or `spawn`, once no process is left.
   */
  run(session: SessionStart): Promise<SessionEnd>
}

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
  readonly conversation: Conversation
  /** The first turn. `endTurn` returns the others. */
  readonly turn: Turn
  /** The agent reviews the work of another, and uses no tool that writes files. Default: false. */
  readonly onlyReads?: boolean
  readonly place: Place
  /** Undefined: the program's default. */
  readonly model: string | undefined
  /** Servers of tools for the agent. */
  readonly servers: readonly McpServer[]
  readonly limits: SessionLimits
  readonly person: Person
  readonly messages: MessagesNow
  readonly report: Report
  /** When it aborts, end the program at once, and return `aborted`. */
  readonly signal: AbortSignal
  /** Starts a child process that is recorded and ends with us (kernel/process/owner.ts). Use no other way. */
  readonly spawn: SpawnOwned
  /**
   * Call it when the agent has stopped, and while its program could still go on. It records the end
   * of the turn. Settles soon after `signal` aborts; `run` never settles before it.
   *
   * @returns the next turn; undefined: the agent must stop.
   */
  endTurn(end: TurnEnd): Promise<Turn | undefined>
}

export type Conversation = {
  readonly id: SessionId
  /** The conversation may exist. A program that does not know it starts with `freshPrompt`. */
  readonly resume: boolean
  /** The program's own id of it, where the program makes one: as it was last learnt. */
  readonly programId: string | null
  /** An earlier conversation that this one begins as a copy of, unless it exists already. */
  readonly forkOf: Pick<Conversation, "id" | "programId"> | undefined
  /** Records the program's own id, before its first turn. */
  learnId(id: string): void
  /** Facts and instructions that precede the conversation. */
  systemPrompt(): Promise<string>
  /** Replaces the first turn's prompt if the program does not know the conversation. */
  freshPrompt(): Promise<string>
}

export type Place = {
  /** Absolute path of the worktree. */
  readonly cwd: string
  /** Absolute paths of the task's worktrees in further repositories. */
  readonly otherWorktrees: readonly string[]
  /** Absolute path of a folder outside of the worktrees, for files that go with the session. */
  readonly scratch: string
  /** The whole environment of the program; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The folder for copies of transcripts, each in a folder of its session. Default: none is kept. */
  readonly transcripts?: string | undefined
}

/** The program enforces the first three if it can; a handoff is the runtime's own. */
export type SessionLimits = {
  /** How many answers of the model one turn may take. */
  readonly turnsMax: number
  /** The rest of the session's budget, in US dollars; undefined: no limit. */
  readonly costUsdMax: number | undefined
  /** How long `endTurn` may take, in ms; the program's own time limits must be longer. */
  readonly verdictMsMax: number
  /** Share of the program's context, in (0, 1], at which we ask for a handoff; 1: never. */
  readonly handoffAt: number
}

/** A tool, and what the agent gives it. */
export type ToolUse = {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Reaches a person on the agent's behalf. The given signal withdraws the request. */
export type Person = {
  /**
   * Whether the agent may use a tool now; may wait for a person. Undefined: every tool is allowed.
   */
  readonly permit: ((use: ToolUse, signal: AbortSignal) => Promise<Permission>) | undefined
  /** @returns undefined if there was no answer in time. */
  ask(question: AgentQuestion, signal: AbortSignal): Promise<string | undefined>
  /** How long both may take, in ms; the program's own time limits must be longer. */
  readonly waitMsMax: number
}

/** Messages of a person for a turn that runs. A runtime that cannot pass them on ends the turn. */
export type MessagesNow = {
  /** All that the agent has not received; undefined: nothing. */
  find(phase: Turn["phase"]):
    | {
        readonly text: string
        /** Records that they are part of this turn. Without it, the next turn begins with them. */
        delivered(): void
      }
    | undefined
  /** Calls back when there may be some. @returns a function that stops this. */
  follow(listener: () => void): () => void
}

/** Takes what the agent does and costs while a turn runs. Never throws because of its content. */
export type Report = {
  event(event: AgentEvent): void
  /**
   * More of the message that the agent is writing; null: it begins a new one. Nothing depends on it: the
   * whole message follows as an event.
   */
  writes(more: string | null): void
  /** Further usage of turn `n`. It counts even if the turn is cut off later. */
  usage(n: number, usage: Usage): void
  /** How much of its limit the account has used, if the program knows. */
  limit(limit: SeenLimit): void
}

export type Turn = {
  /** COPPICE_TURN. */
  readonly n: number
  readonly prompt: string
  /** The agent may have had this prompt before, and was interrupted. */
  readonly repeated: boolean
  /** In `planning` the agent must change nothing: its last message is the plan. */
  readonly phase: "planning" | "working"
  /** Images that go with the prompt, which names their paths, too. Default: none. */
  readonly images?: readonly TurnImage[]
}

/** An image on the disk, where the agent can read it. */
export type TurnImage = { readonly path: string; readonly type: ImageType }

export type TurnEnd = {
  readonly n: number
  /** The last thing the agent said, or null. */
  readonly message: string | null
  /** Usage that was not reported yet. */
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
  /** `output` of a tool or a command may be long. */
  readonly kind: "text" | "tool" | "output" | "notice"
  readonly text: string
  /** The program's id of a use of a tool; its output has it too. */
  readonly call?: string
}

/** Why a session is over. `ended`: `endTurn` said stop. `aborted`: `signal` did. */
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
