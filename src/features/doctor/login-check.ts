/**
 * Looks for the logins of a known agent program: one for each account, by the environment of the
 * agents that use it. It looks only whether a key or a file is there.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { shellWord } from "../../base/text/shell-word.ts"
import type { AgentConfig } from "../../config/config.ts"
import type { KnownAgent } from "../../config/known-agents.ts"
import type { Env } from "../../config/substitute.ts"

export type Account = {
  /** The agents with an account of their own; none: the account of Coppice's environment. */
  readonly agents: readonly string[]
  readonly env: Env
  /** The command that logs in. */
  readonly command: string
}

/** At least one. Agents that set the same variables share one. */
export function accountsOf(
  { login }: Pick<KnownAgent, "login">,
  agents: readonly Pick<AgentConfig, "name" | "env">[],
  env: Env,
): Account[] {
  const { keys, folder, command } = login
  const accounts = new Map<string, Account>()
  for (const { name, env: own } of agents) {
    const set = [...keys, folder.variable, "HOME"].filter((variable) => own[variable] !== undefined)
    const id = JSON.stringify(set.map((variable) => [variable, own[variable]]))
    const places = set.filter((variable) => !keys.includes(variable))
    const prefix = places.map((variable) => `${variable}=${shellWord(own[variable]!)} `).join("")
    const before = accounts.get(id)?.agents ?? []
    const names = set.length > 0 ? [...before, name] : []
    accounts.set(id, { agents: names, env: { ...env, ...own }, command: prefix + command })
  }
  return accounts.size > 0 ? [...accounts.values()] : [{ agents: [], env, command }]
}

export type Login =
  /** The variable that holds a key, or the file. */
  { readonly found: string } | { readonly folder: string | undefined }

export function findLogin({ login }: Pick<KnownAgent, "login">, env: Env): Login {
  const key = login.keys.find((variable) => env[variable])
  if (key) return { found: key }
  const { folder: at, file: name } = login
  if (name === undefined) return { folder: undefined }
  const { variable, inHome } = at
  const folder = env[variable] ?? join(env["HOME"] ?? "", inHome)
  const file = join(folder, name)
  return existsSync(file) ? { found: file } : { folder }
}
