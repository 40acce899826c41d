/** The prompts of a conversation: a stream that stays open until it is closed. */
import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"

export class ClaudeInput implements AsyncIterable<SDKUserMessage> {
  readonly #prompts: string[] = []
  #closed = false
  #wake: () => void = () => {}

  push(prompt: string): void {
    this.#prompts.push(prompt)
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (;;) {
      const content = this.#prompts.shift()
      if (content !== undefined) {
        yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null }
      } else if (this.#closed) {
        return
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
