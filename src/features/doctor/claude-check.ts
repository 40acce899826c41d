/** Checks what the claude runtime needs: a program and a login. Starts nothing. */

import { assert } from "../../base/assert.ts"
import type { AgentConfig } from "../../config/config.ts"
import { findKnownAgent } from "../../config/known-agents.ts"
import type { Env } from "../../config/substitute.ts"
import { chooseClaudeProgram, findBundled } from "../claude/program.ts"
import { type Check, failedCheck, passedCheck } from "./doctor-check.ts"
import { accountsOf, findLogin } from "./login-check.ts"

/** @param from the file whose packages count. */
export function checkClaude(env: Env, from?: string): Check {
  const bundled = findBundled(from) ?? null
  const program = chooseClaudeProgram({ env, bundled })
  if (program.kind === "missing")
    return failedCheck("claude", program.message, program.hints[0] ?? null)
  const text = "none on the PATH; Coppice uses the one of the Agent SDK"
  return passedCheck("claude", program.path === bundled ? text : program.path)
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
