/** Loads the Claude Agent SDK, which is an optional peer dependency: its licence is not ours. */
import type { Options, Query, SDKMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { RuntimeMissingError } from "./errors.ts"

/** The part of the SDK that we use; claude-stdio.ts has it too. */
export type ClaudeSdk = {
  query(params: {
    readonly prompt: AsyncIterable<SDKUserMessage>
    readonly options: Options
  }): ClaudeQuery
}

export type ClaudeQuery = AsyncIterable<SDKMessage> & {
  initializationResult(): Promise<unknown>
  close(): void
} & Pick<Query, "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET">

/** @throws {RuntimeMissingError} (`user`) when it is not installed. */
export async function loadClaudeSdk(): Promise<ClaudeSdk> {
  try {
    return await import("@anthropic-ai/claude-agent-sdk")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    throw new RuntimeMissingError("the claude runtime needs the Claude Agent SDK", [
      "Install it next to Coppice: npm install -g @anthropic-ai/claude-agent-sdk",
      "Or set agents.<name>.runtime to claude-cli, which needs only the claude program.",
    ])
  }
}
