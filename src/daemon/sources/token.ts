/**
 * The token for a tracker: from the variable that coppice.yml names, from the usual variables, or from `gh`.
 *
 * A token goes only to the address that it belongs to: the usual ones to github.com alone, those of `gh` to
 * the host that a person logged in to. It is never logged, and no agent gets it: the names of its variables
 * are those that process/environment.ts keeps back.
 */
import { askProgram } from "../../client/ask-program.ts"
import type { SourceConfig } from "../../core/config.ts"
import { SourceError } from "../../sources/errors.ts"

type Environment = Readonly<Record<string, string | undefined>>

const PUBLIC_HOST = "github.com"
/** A new login with `gh` is noticed after this time. */
const KEPT_MS = 5 * 60_000
/** All that `gh` needs to find its own configuration. */
const OF_GH = ["PATH", "HOME", "XDG_CONFIG_HOME", "GH_CONFIG_DIR"]

export function findToken(
  { apiUrl, tokenVariable }: Pick<SourceConfig, "apiUrl" | "tokenVariable">,
  env: Environment,
  nowMs: () => number,
): () => Promise<string> {
  let kept: { readonly token: string; readonly untilMs: number } | undefined
  const read = async () => {
    if (tokenVariable !== undefined)
      return env[tokenVariable] || missing(`${tokenVariable} is empty`)
    const host = hostOf(apiUrl)
    const usual = host === PUBLIC_HOST ? env["GH_TOKEN"] || env["GITHUB_TOKEN"] : undefined
    return usual || (await askGh(host, env))
  }
  return async () => {
    if (kept && kept.untilMs > nowMs()) return kept.token
    const token = (await read()).trim()
    // An error of the network library would print such a token.
    if (!/^[!-~]+$/.test(token)) missing("it has characters that no token has")
    kept = { token, untilMs: nowMs() + KEPT_MS }
    return token
  }
}

function hostOf(apiUrl = `https://api.${PUBLIC_HOST}`): string {
  const { hostname } = new URL(apiUrl)
  return hostname === `api.${PUBLIC_HOST}` ? PUBLIC_HOST : hostname
}

async function askGh(host: string, env: Environment): Promise<string> {
  const own = Object.fromEntries(OF_GH.map((name) => [name, env[name]]))
  const answer = await askProgram(["gh", "auth", "token", "--hostname", host], own)
  if ("said" in answer) return answer.said
  return missing(`no variable has one, and \`gh auth token\` gives none for ${host}`)
}

function missing(why: string): never {
  const help =
    "Set `token_variable` of the source, or run `gh auth login`. The daemon knows the variables of the shell that started it."
  throw new SourceError("source.refused", `There is no token for the source: ${why}. ${help}`)
}
