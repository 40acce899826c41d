/** Loads the Claude Agent SDK, which is an optional peer dependency: its licence is not ours. */
import { RuntimeMissingError } from "./errors.ts"

export type ClaudeSdk = typeof import("@anthropic-ai/claude-agent-sdk")

/** @throws {RuntimeMissingError} (`user`) when it is not installed. */
export async function loadClaudeSdk(): Promise<ClaudeSdk> {
  try {
    return await import("@anthropic-ai/claude-agent-sdk")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    throw new RuntimeMissingError("the claude runtime needs the Claude Agent SDK", [
      "Install it next to Coppice: npm install -g @anthropic-ai/claude-agent-sdk",
      "Or set agents.<name>.runtime to command.",
    ])
  }
}
