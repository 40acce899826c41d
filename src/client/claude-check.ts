/**
 * Checks what the claude runtime needs: the Agent SDK and a program. Starts nothing.
 *
 * It searches in the runtime's order: COPPICE_CLAUDE, the PATH, the program that came with the SDK.
 */
import { accessSync, constants, statSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, join } from "node:path"
import { attempt, type Check, failed, passed } from "./check.ts"

const SDK = "@anthropic-ai/claude-agent-sdk"
const require = createRequire(import.meta.url)

export function checkClaude(env: Readonly<Record<string, string | undefined>>): Check {
  if (!canResolve(SDK))
    return failed("claude", "the Claude Agent SDK is not there", `Run \`npm install -g ${SDK}\`.`)

  const chosen = env["COPPICE_CLAUDE"]
  if (chosen) return checkChosen(chosen, env["PATH"])
  const own = findOnPath("claude", env["PATH"])
  if (own) return passed("claude", own)
  const hint = "Install Claude Code so that `claude` is on the PATH."
  return hasBundled()
    ? passed("claude", "none on the PATH; the one of the Agent SDK serves")
    : failed("claude", "there is no claude program", hint)
}

function checkChosen(program: string, path: string | undefined): Check {
  const found = program.includes("/") ? [program].find(isProgram) : findOnPath(program, path)
  if (found) return passed("claude", found)
  return failed("claude", `COPPICE_CLAUDE names no program: ${program}`, "Correct or unset it.")
}

function hasBundled(): boolean {
  const platform = `${process.platform}-${process.arch}`
  return ["", "-musl"].some((suffix) => canResolve(`${SDK}-${platform}${suffix}/claude`))
}

function canResolve(name: string): boolean {
  return "value" in attempt(() => require.resolve(name))
}

function findOnPath(program: string, path = ""): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "")
  return folders.map((folder) => join(folder, program)).find(isProgram)
}

function isProgram(path: string): boolean {
  const found = attempt(() => {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  })
  return "value" in found && found.value
}
