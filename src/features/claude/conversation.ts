/**
 * Drives one Claude Code process from its first prompt to its end.
 *
 *   prompt ─► work ─► Stop hook ─► endTurn ─┬─► next prompt: the hook extends the conversation
 *                        │                  └─► nothing: the hook lets it stop, the input closes
 *                        └─ background tasks: it stops, the input stays open
 *
 * The program wakes the agent when its background tasks end, until a time limit (see
 * background-tasks.ts).
 *
 * The first outcome wins; we ignore what the process does after that.
 */
import type {
  HookCallback,
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk"
import { Tail } from "../../kernel/process/end-of-output.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import type { SeenLimit, SessionEnd, Turn } from "../../kernel/runtime/runtime.ts"
import { HANDOFF_PROMPT } from "../../kernel/tasks/prompts/fresh-conversation.ts"
import { firstPrompt } from "../runtimes/interrupted-prompt.ts"
import { Mailbox } from "../runtimes/mailbox.ts"
import { readImages } from "../runtimes/turn-images.ts"
import { ClaudeBackground } from "./background-tasks.ts"
import { claudeEvents, writtenIn } from "./events.ts"
import { isUnknownSession, refusedRetry, resultFailure } from "./failure.ts"
import { ClaudeHandoff } from "./handoff.ts"
import { type ClaudeStart, claudeOptions } from "./options.ts"
import { ClaudeSpending } from "./spending.ts"
import type { ClaudeQuery, ClaudeSdk } from "./stdio.ts"
import { seenLimit } from "./subscription-limits.ts"
import { readTotals, type Totals } from "./usage.ts"

export type ConversationStart = ClaudeStart & {
  readonly sdk: ClaudeSdk
  /** How long a turn waits for the agent's background tasks. */
  readonly backgroundMsMax: number
}

export type ConversationEnd = SessionEnd | { readonly kind: "unknown_session" }

/** Between TERM and KILL: the program needs a moment to end its own tools. */
const GRACE_MS = 2_000
/** Time for the program to exit after its input is closed. */
const EXIT_MS_MAX = 5_000
/** The program shows the agent at most this much of a hook's text, and puts the rest in a file. */
const HOOK_BYTES_MAX = 8_000
const STDERR_BYTES_MAX = 4_000

export class ClaudeConversation {
  readonly #start: ConversationStart
  readonly #input = new ClaudeInput()
  readonly #stderr = new Tail(STDERR_BYTES_MAX)
  readonly #query: ClaudeQuery
  readonly #handoff: ClaudeHandoff
  #starting: Promise<OwnedChild> | undefined
  #turn: Turn
  readonly #spending = new ClaudeSpending({
    readTotals: () => readTotals(this.#query),
    report: (usage) => this.#start.session.report.usage(this.#turn.n, usage),
    onError: (error) => this.#fail(error),
  })
  readonly #background: ClaudeBackground
  #last: SDKAssistantMessage | undefined
  /** A next turn that is too long for the hook, or has images; it is sent once the agent has stopped. */
  #afterResult: Turn | undefined
  /** The record of the latest end of a turn. Never rejects. */
  #turnRecording: Promise<unknown> | undefined
  /** Why the conversation is over; set once. */
  #outcome: ConversationEnd | undefined
  /** If set, `run` throws it instead of returning the outcome. */
  #failure: { readonly error: unknown } | undefined

  constructor(start: ConversationStart) {
    this.#start = start
    this.#turn = start.session.turn
    this.#handoff = new ClaudeHandoff({
      at: start.session.limits.handoffAt,
      prompt: HANDOFF_PROMPT,
      readTotals: () => readTotals(this.#query),
    })
    this.#background = new ClaudeBackground(
      start.backgroundMsMax,
      () => this.#endIdleTurn(),
      (error) => this.#fail(error),
    )
    const hooks = { onStop: this.#onStop, afterTool: this.#afterTool }
    const options = claudeOptions(start, hooks, {
      onSpawn: (starting) => this.#follow(starting),
      phase: () => this.#turn.phase,
    })
    this.#query = start.sdk.query({ prompt: this.#input, options })
  }

  /** @throws {Error} any error of `endTurn`, after the process has been ended. */
  async run(): Promise<ConversationEnd> {
    const { signal } = this.#start.session
    const abort = () => this.#kill({ kind: "aborted" })
    signal.addEventListener("abort", abort)
    if (signal.aborted) abort()
    try {
      this.#spending.begin(this.#hasEarlier ? await this.#earlierTotals() : {})
      const { session, resume } = this.#start
      this.#input.push(firstPrompt(session, resume), session.turn)
      for await (const message of this.#messages()) await this.#read(message)
    } catch (error) {
      this.#failure ??= { error }
    }
    signal.removeEventListener("abort", abort)
    return await this.#cleanUp()
  }

  async *#messages(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* this.#query
    } catch (error) {
      // The SDK also throws after an error result or our own end, which are recorded by now. For a
      // crash, `#cleanUp` reports the exit, which explains more than the error.
      if (!(error instanceof UnstartableError)) return
      if (error.transient) this.#failure ??= { error }
      else this.#outcome ??= { kind: "stuck", code: "failed", text: error.message }
    }
  }

  /** Ends what still runs. @returns why the conversation is over. */
  async #cleanUp(): Promise<ConversationEnd> {
    this.#background.stopTimer()
    this.#spending.end()
    this.#input.close()
    this.#query.close()
    const owned = await this.#starting?.catch(() => undefined) // an error came through the query
    await owned?.end(GRACE_MS)
    await this.#turnRecording // the turn may have ended well before the process died
    if (this.#failure) throw this.#failure.error
    if (this.#outcome) return this.#outcome
    const exit = await owned?.exited
    const how = exit?.signal ?? `code ${exit?.code}`
    const text = `claude exited (${how}) ${this.#stderr.text().trim()}`.trim()
    return { kind: "stuck", code: "died", text }
  }

  #follow(starting: Promise<OwnedChild>): void {
    this.#starting = starting
    if (this.#outcome) this.#kill()
    starting.then(
      ({ child }) => child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk)),
      () => {}, // the query throws the same error
    )
  }

  get #hasEarlier(): boolean {
    return this.#start.resume || this.#start.forkOf !== undefined
  }

  async #earlierTotals(): Promise<Totals | undefined> {
    try {
      await this.#query.initializationResult()
    } catch {
      return undefined // the program has ended; its messages say why
    }
    return await readTotals(this.#query)
  }

  async #read(message: SDKMessage): Promise<void> {
    const { session } = this.#start
    if (message.type === "stream_event") {
      const more = writtenIn(message)
      if (more !== undefined) session.report.writes(more)
      return
    }
    for (const event of claudeEvents(message, session.place.cwd)) session.report.event(event)
    if (message.type === "assistant" || message.type === "user") this.#spending.noteActivity()
    const refused = refusedRetry(message)
    if (refused) this.#kill(refused)
    else if (message.type === "rate_limit_event")
      this.#readLimit(seenLimit(message.rate_limit_info))
    else if (message.type === "assistant") {
      this.#background.stopTimer() // the program has woken the agent; the Stop hook will follow
      if (!message.parent_tool_use_id) this.#saw(message)
    } else if (message.type === "result") await this.#readResult(message)
    else if (message.type === "system" && message.subtype === "background_tasks_changed")
      if (message.tasks.length === 0) this.#background.awaitWake()
  }

  #saw(message: SDKAssistantMessage): void {
    this.#last = message
    this.#handoff.see(message)
  }

  /** Without the API the program would fail the turn, so we end it here and continue it later. */
  #readLimit(limit: SeenLimit | undefined): void {
    if (!limit) return
    this.#start.session.report.limit(limit)
    const { share, resetAtMs: untilMs, name } = limit
    if (share < 1) return
    this.#kill({ kind: "postponed", untilMs, text: `the ${name} of its account to be reset` })
  }

  async #readResult(result: SDKResultMessage): Promise<void> {
    const { session } = this.#start
    if (this.#outcome) this.#letExit()
    else if (this.#hasEarlier && isUnknownSession(result))
      this.#letExit({ kind: "unknown_session" })
    else {
      const failure = resultFailure(result, this.#last?.error, session.limits.turnsMax)
      if (failure) {
        this.#spending.reportUpTo(result.modelUsage)
        this.#letExit(failure)
      } else if (this.#background.isRunning) this.#background.awaitEnd()
      else if (this.#afterResult !== undefined) {
        this.#input.push(this.#afterResult.prompt, this.#afterResult)
        this.#afterResult = undefined
      } else await this.#endIdleTurn() // no hook has run: a policy turned hooks off
    }
  }

  /** After a tool call: asks for a handoff, else delivers a person's message. */
  readonly #afterTool: HookCallback = async (input, ...rest) => {
    const asked = await this.#handoff.afterTool(input, ...rest)
    const isToolEnd =
      input.hook_event_name === "PostToolUse" || input.hook_event_name === "PostToolUseFailure"
    if (!isToolEnd || input.agent_id) return asked
    return this.#deliverMessage(input.hook_event_name) ?? asked
  }

  /**
   * Passes a person's message to the agent and records it as delivered. A message too long for a
   * hook waits for the next turn.
   *
   * @returns the hook's output; undefined without a message.
   */
  #deliverMessage(hookEventName: "PostToolUse" | "PostToolUseFailure" | "Stop") {
    if (this.#outcome || this.#handoff.isAsked) return undefined
    try {
      const message = this.#start.session.messages.find(this.#turn.phase)
      if (!message || Buffer.byteLength(message.text) > HOOK_BYTES_MAX) return undefined
      message.delivered()
      return { hookSpecificOutput: { hookEventName, additionalContext: message.text } }
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  readonly #onStop: HookCallback = async (input) => {
    this.#background.stopTimer()
    const timeout = this.#background.timeout // the time ran out just as the program woke the agent
    await timeout
    if (timeout || this.#outcome || input.hook_event_name !== "Stop") return {}
    const delivered = this.#deliverMessage("Stop")
    if (delivered) return delivered
    if ((input.background_tasks ?? []).length > 0) {
      this.#background.begin()
      return {}
    }
    this.#background.end()
    const recording = this.#endTurn(input.last_assistant_message ?? null)
    this.#turnRecording = recording
    const next = await recording
    if (!next) return {}
    if (next.images?.length || Buffer.byteLength(next.prompt) > HOOK_BYTES_MAX) {
      this.#afterResult = next
      return {}
    }
    return { hookSpecificOutput: { hookEventName: "Stop", additionalContext: next.prompt } }
  }

  /** Ends a turn while the agent is idle; a next prompt is then a new message. */
  async #endIdleTurn(): Promise<void> {
    this.#background.end()
    const blocks = this.#last?.message.content ?? []
    const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
    const next = await this.#endTurn(text || null)
    if (next) this.#input.push(next.prompt, next)
    else this.#kill()
  }

  async #endTurn(message: string | null): Promise<Turn | undefined> {
    const usage = await this.#spending.rest()
    try {
      const next = await this.#start.session.endTurn({
        n: this.#turn.n,
        message,
        usage,
        isHandoff: this.#handoff.isAsked,
      })
      if (next) this.#turn = next
      else this.#outcome ??= { kind: "ended" }
      return next
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  /** Ends the process; `run` throws the error. */
  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#kill({ kind: "ended" })
  }

  /** Closes the input, and kills a program that does not exit in time. */
  #letExit(outcome?: ConversationEnd): void {
    this.#outcome ??= outcome
    this.#input.close()
    setTimeout(() => this.#kill(), EXIT_MS_MAX).unref()
  }

  #kill(outcome?: ConversationEnd): void {
    this.#outcome ??= outcome
    this.#starting?.then(
      (owned) => owned.end(GRACE_MS),
      () => {}, // the program never started
    )
  }
}

/** The prompts, as a stream that stays open until `close`. */
class ClaudeInput implements AsyncIterable<SDKUserMessage> {
  readonly #prompts = new Mailbox<SDKUserMessage>()

  push(text: string, turn: Pick<Turn, "images">): void {
    const images = readImages(turn).map(({ type, data }) => {
      const source = { type: "base64", media_type: type, data } as const
      return { type: "image", source } as const
    })
    const content = images.length === 0 ? text : [{ type: "text", text } as const, ...images]
    this.#prompts.put({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
    })
  }

  close(): void {
    this.#prompts.end()
  }

  [Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    return this.#prompts.take()
  }
}
