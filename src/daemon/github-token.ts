/**
 * Finds a login for GitHub: in the variable that coppice.yml names, in the usual ones, or with `gh`.
 *
 * A token goes only to the host that it belongs to, as `gh` has it. It is never logged, and no agent gets
 * it: process/environment.ts keeps back the variables with such names.
 */
import { askProgram } from "../client/ask-program.ts"
import { isToken } from "../rest/client.ts"

type Environment = Readonly<Record<string, string | undefined>>

export type GitHubLogin = {
  /** URL of the API. */
  readonly api: string
  /** As coppice.yml names it. */
  readonly variable: string | undefined
}

const PUBLIC_HOST = "github.com"
const PUBLIC = ["GH_TOKEN", "GITHUB_TOKEN"]
const ENTERPRISE = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
/** All that `gh` needs to find its own configuration, and the keyring that may hold its token. */
const OF_GH = [
  ...["PATH", "HOME", "XDG_CONFIG_HOME", "GH_CONFIG_DIR"],
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"],
]

/** @returns a token, or why there is none, which holds no part of one. */
export async function findGitHubToken(
  login: GitHubLogin,
  env: Environment,
): Promise<{ readonly token: string } | { readonly missing: string }> {
  const found = await findText(login, env)
  if ("missing" in found) return found
  const token = found.token.trim()
  return isToken(token) ? { token } : { missing: "it has characters that no token has" }
}

async function findText({ api, variable }: GitHubLogin, env: Environment) {
  if (variable !== undefined) {
    const token = env[variable]
    return token ? { token } : { missing: `${variable} is empty` }
  }
  const { hostname } = new URL(api)
  const host = hostname === `api.${PUBLIC_HOST}` ? PUBLIC_HOST : hostname
  for (const name of host === PUBLIC_HOST ? PUBLIC : ENTERPRISE) {
    const token = env[name]
    if (token) return { token }
  }
  const own = Object.fromEntries(OF_GH.map((name) => [name, env[name]]))
  const answer = await askProgram(["gh", "auth", "token", "--hostname", host], own)
  if ("said" in answer) return { token: answer.said }
  return { missing: `no variable has one, and \`gh auth token\` gives none for ${host}` }
}
