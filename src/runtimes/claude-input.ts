/** The prompts of a conversation: a stream that stays open until it is closed. */
import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { Mailbox } from "./mailbox.ts"

export class ClaudeInput implements AsyncIterable<SDKUserMessage> {
  readonly #prompts = new Mailbox<SDKUserMessage>()

  push(content: string): void {
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
