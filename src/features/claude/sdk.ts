/**
 * Finds the Claude Agent SDK, which is an optional peer dependency: its licence does not let us pass it
 * on. Without it we talk to the `claude` program ourselves.
 */
import { createRequire } from "node:module"
import { isSea } from "node:sea"
import { pathToFileURL } from "node:url"
import { type ClaudeSdk, claudeStdio } from "./stdio.ts"

const SDK = "@anthropic-ai/claude-agent-sdk"

/** @param from the file whose packages count. @returns the path of its main file, if it is installed. */
export function findClaudeSdk(from = import.meta.url): string | undefined {
  if (isSea()) return undefined // no package is installed with the executable
  try {
    return createRequire(from).resolve(SDK)
  } catch {
    return undefined
  }
}

/** The SDK if it is installed, else our own connection to the program. */
export async function loadClaudeSdk(from?: string): Promise<ClaudeSdk> {
  const path = findClaudeSdk(from)
  return path === undefined ? claudeStdio : import(pathToFileURL(path).href)
}
