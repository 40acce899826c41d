/** Lists the agent programs on the PATH: version, and whether each is logged in. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Env } from "../core/config/substitute.ts"
import { KNOWN_AGENTS, type KnownAgent } from "../core/known-agents.ts"
import { askProgram } from "./ask-program.ts"
import { type Check, failed, passed } from "./check.ts"
import { findOnPath } from "./find-on-path.ts"

/** Each program is asked for its version alone; the rest is read from files and variables. */
export async function checkAgents(env: Env): Promise<Check[]> {
  const found = KNOWN_AGENTS.filter(({ name }) => findOnPath(name, env["PATH"]))
  if (found.length > 0) return Promise.all(found.map((agent) => checkAgent(agent, env)))
  const names = KNOWN_AGENTS.map(({ name }) => name).join(", ")
  return [passed("agents", `none of these is on the PATH: ${names}`)]
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
