/** Chooses the Claude Code program: the configured one, the user's own, or the one in the SDK. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { INSTALL_CLAUDE } from "../../config/runtimes.ts"
import { findOnPath } from "../../kernel/process/find-program.ts"
import { findClaudeSdk } from "./sdk.ts"

export type ClaudeProgram =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly message: string; readonly hints: readonly string[] }

/** Overrides the PATH with the path of a program. */
const PROGRAM_VARIABLE = "COPPICE_CLAUDE"

const SDK = "@anthropic-ai/claude-agent-sdk"

export type ProgramChoice = {
  /** The daemon's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the one in the SDK; null: none. */
  readonly bundled?: string | null | undefined
}

/**
 * A path in COPPICE_CLAUDE, else `claude` on the PATH (with the user's own login), else the program
 * in the SDK. A wrong path is an error, never a reason to guess.
 */
export function chooseClaudeProgram({
  env,
  bundled = findBundled(),
}: ProgramChoice): ClaudeProgram {
  const set = env[PROGRAM_VARIABLE]
  if (set) {
    const path = findOnPath(set, env["PATH"])
    if (path) return { kind: "found", path }
    const hints = [`Set ${PROGRAM_VARIABLE} to the path of the claude program, or unset it.`]
    return { kind: "missing", message: `${PROGRAM_VARIABLE} names no program: ${set}`, hints }
  }
  const path = findOnPath("claude", env["PATH"]) ?? bundled
  if (path) return { kind: "found", path }
  return {
    kind: "missing",
    message: "there is no claude program",
    hints: INSTALL_CLAUDE,
  }
}

/** The program in the SDK. Each platform has its own package next to the SDK; Linux has one per C library. @param from the file whose packages count. */
export function findBundled(from?: string): string | undefined {
  const platform = `${process.platform}-${process.arch}`
  const packages = [platform, `${platform}-musl`].map((suffix) => `${SDK}-${suffix}`)
  const sdk = findClaudeSdk(from)
  if (sdk === undefined) return undefined
  for (const name of packages) {
    try {
      const path = createRequire(sdk).resolve(`${name}/claude`)
      if (existsSync(path)) return path
    } catch {
      // Not installed, or not for this platform: there is no bundled program of this name.
    }
  }
  return undefined
}
