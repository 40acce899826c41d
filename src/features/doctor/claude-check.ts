/**
 * Checks what the claude runtime needs: a program and a login. Starts nothing.
 *
 * It searches in the runtime's order: COPPICE_CLAUDE, the PATH, the program that came with the SDK.
 */

import { createRequire } from "node:module"
import { findOnPath, isProgram } from "../../api/client/find-on-path.ts"
import { sea } from "../../api/client/node-builtins.ts"
import { assert } from "../../base/assert.ts"
import type { AgentConfig } from "../../config/config.ts"
import { findKnownAgent } from "../../config/known-agents.ts"
import { INSTALL_CLAUDE } from "../../config/runtimes.ts"
import type { Env } from "../../config/substitute.ts"
import { attempt, type Check, failedCheck, passedCheck } from "./doctor-check.ts"
import { accountsOf, findLogin } from "./login-check.ts"

const SDK = "@anthropic-ai/claude-agent-sdk"

/** @param from the file whose packages count. */
export function checkClaude(env: Env, from = import.meta.url): Check {
  const chosen = env["COPPICE_CLAUDE"]
  if (chosen) return checkChosen(chosen, env["PATH"])
  const own = findOnPath("claude", env["PATH"])
  if (own) return passedCheck("claude", own)
  return hasBundled(from)
    ? passedCheck("claude", "none on the PATH; Coppice uses the one of the Agent SDK")
    : failedCheck("claude", "there is no claude program", INSTALL_CLAUDE[0])
}

/** Never fails: only the claude program knows its login, which may be in a keychain or with a cloud provider. */
export function checkLogins(agents: readonly AgentConfig[], env: Env): Check[] {
  const claude = findKnownAgent("claude")
  assert(claude, "claude is a known agent")
  return accountsOf(claude, agents, env).map((account) => {
    const name = ["login", ...(account.agents.length > 0 ? ["of", account.agents.join(", ")] : [])]
    const login = findLogin(claude, account.env)
    if ("found" in login) return passedCheck(name.join(" "), login.found)
    const text = `no key, and no credentials in ${login.folder}; claude may have them elsewhere`
    const hint = `If tasks stop as not logged in: \`${account.command}\`, or set ANTHROPIC_API_KEY.`
    return { ...passedCheck(name.join(" "), text), hint }
  })
}

function checkChosen(program: string, path: string | undefined): Check {
  const found = program.includes("/") ? [program].find(isProgram) : findOnPath(program, path)
  if (found) return passedCheck("claude", found)
  return failedCheck(
    "claude",
    `COPPICE_CLAUDE names no program: ${program}`,
    "Correct or unset it.",
  )
}

/** In the Agent SDK, under which npm may nest the package with the program. */
function hasBundled(from: string): boolean {
  if (sea.isSea()) return false
  const sdk = attempt(() => createRequire(from).resolve(SDK))
  if ("failed" in sdk) return false
  const platform = `${process.platform}-${process.arch}`
  const names = ["", "-musl"].map((suffix) => `${SDK}-${platform}${suffix}/claude`)
  return names.some((name) => "value" in attempt(() => createRequire(sdk.value).resolve(name)))
}
