/**
 * Checks the agent programs: claude, and those on the PATH, with their versions and logins.
 *
 * A missing or broken program is a failure only if an agent here needs it.
 */

import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import type { Env } from "../core/config/substitute.ts"
import type { AgentConfig } from "../core/config.ts"
import { KNOWN_AGENTS, type KnownAgent } from "../core/known-agents.ts"
import { askProgram } from "./ask-program.ts"
import { type Check, failed, passed } from "./check.ts"
import { checkClaude, checkLogin } from "./claude-check.ts"
import { findOnPath } from "./find-on-path.ts"

type Checked = {
  /** Undefined if coppice.yml cannot be read. */
  readonly agents: readonly AgentConfig[] | undefined
  /** There is a coppice.yml. Without one, a person may name another agent for each task. */
  readonly isListed: boolean
  readonly env: Env
}

/** Each program is asked for its version alone; the rest is read from files and variables. */
export async function checkPrograms({ agents, isListed, env }: Checked): Promise<Check[]> {
  const needed = agents?.map(programOf)
  const isNeeded = (program: string) => needed?.includes(program) ?? true
  const onPath = KNOWN_AGENTS.filter(({ name }) => findOnPath(name, env["PATH"]))
  const found = await Promise.all(onPath.map((agent) => checkAgent(agent, env)))
  const checks = found.map((check, at) => (isNeeded(onPath[at]!.name) ? check : asHint(check)))
  if (found.length === 0) {
    const names = KNOWN_AGENTS.map(({ name }) => name).join(", ")
    checks.push(passed("agents", `none of these is on the PATH: ${names}`))
  }
  if (!isNeeded("claude")) return checks
  const other = isListed ? undefined : onPath.find((_, at) => found[at]!.state === "ok")
  const claude = checkClaude(env)
  const login = claude.state === "ok" ? [checkLogin(env)] : []
  return [claudeUnless(other?.name, claude), ...login, ...checks]
}

const asHint = (check: Check): Check => ({ ...check, state: "ok" })

/** @param other a program that can do without claude. */
function claudeUnless(other: string | undefined, check: Check): Check {
  if (check.state === "ok" || other === undefined) return check
  const hint = `\`coppice run --agent ${other}\` does without it. To install it: ${check.hint}`
  return asHint({ ...check, hint })
}

/** The name of a known program, or of another command. */
function programOf({ runtime, command = "" }: AgentConfig): string {
  if (runtime.startsWith("claude")) return "claude"
  if (runtime === "codex") return "codex"
  const [program = ""] = typeof command === "string" ? command.trim().split(/\s+/) : command
  return basename(program)
}

async function checkAgent({ name, login }: KnownAgent, env: Env): Promise<Check> {
  const answer = await askProgram([name, "--version"], env)
  const called = `agent ${name}`
  if ("refused" in answer)
    return failed(called, `${name} --version: ${answer.refused}`, `Install ${name} again.`)
  const version = /\d+(\.\d+)+/.exec(answer.said)?.[0] ?? "of an unknown version"
  const key = login.keys.find((variable) => env[variable])
  const { variable, inHome } = login.folder
  const file = join(env[variable] ?? join(env["HOME"] ?? "", inHome), login.file)
  if (key || existsSync(file)) return passed(called, `${version}, logged in (${key ?? file})`)
  const hint = `If it is not logged in: \`${login.command}\`${login.keys[0] ? `, or set ${login.keys[0]}` : ""}.`
  return { ...passed(called, `${version}, no login found`), hint }
}
