/**
 * Watches how full a conversation's context is, and asks for a handoff before it overflows.
 *
 * The request follows a tool call, the only moment at which a working agent reads something new.
 * The agent's last message is the document with which the next conversation starts.
 */
import type { HookCallback, SDKAssistantMessage } from "@anthropic-ai/claude-agent-sdk"
import type { Totals } from "./usage.ts"

/** Used if the program does not say how much its model holds. */
const WINDOW_TOKENS = 200_000

export type HandoffWatch = {
  /** Share of the context, in (0, 1], at which we ask for a handoff; 1: never. */
  readonly at: number
  readonly prompt: string
  readTotals(): Promise<Totals | undefined>
}

export class ClaudeHandoff {
  readonly #watch: HandoffWatch
  #window: number | undefined
  #tokens = 0
  #model = ""
  #isAsked = false

  constructor(watch: HandoffWatch) {
    this.#watch = watch
  }

  /** Whether the agent was asked, so that its last message is the handoff document. */
  get isAsked(): boolean {
    return this.#isAsked
  }

  /** @param message of the conversation itself, not of a subagent. */
  see({ message }: SDKAssistantMessage): void {
    const { usage, model }: Partial<SDKAssistantMessage["message"]> = message
    if (!usage) return // the message of another model's API: the context is as full as it was
    this.#model = model ?? ""
    this.#tokens =
      (usage.input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0) +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.output_tokens ?? 0)
  }

  readonly afterTool: HookCallback = async (input) => {
    const { at, prompt } = this.#watch
    const isOwn = input.hook_event_name === "PostToolUse" && !input.agent_id
    if (!isOwn || this.#isAsked || at >= 1) return {}
    if (this.#tokens < at * (await this.#windowTokens())) return {}
    this.#isAsked = true
    const { hook_event_name: hookEventName } = input
    return { hookSpecificOutput: { hookEventName, additionalContext: prompt } }
  }

  async #windowTokens(): Promise<number> {
    if (this.#window === undefined) {
      const totals = await this.#watch.readTotals()
      this.#window = totals?.[this.#model]?.contextWindow
    }
    return this.#window || WINDOW_TOKENS
  }
}
