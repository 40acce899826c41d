/** Takes secrets out of text for the daemon's log. Pure. */
import { isSecret } from "./secrets.ts"

type Env = Readonly<Record<string, string | undefined>>

const REDACTED = "[redacted]"
/** Up to the next space: a password may hold any other letter. */
const ADDRESS = /\b(https?|wss?|ssh|git):\/\/\S+/gi
const HOST = /^[^/]+\/\/[^\s/?#'"`<>()[\],;]+/
const HEADER = /\b(bearer|basic) [\w.~+/=-]{8,}/gi
const TOKEN = /\b(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-)[\w-]{8,}/g
const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|_KEY)$/i
/** `name=value,name=value`, percent-encoded: each value is a secret. */
const LIST_NAME = /HEADERS$/
/** A shorter value would be found in words that are no secret. */
const SECRET_LENGTH_MIN = 8

/** The secret values of an environment, the longest first: one may be a part of another. */
export const secretsOf = (env: Env): string[] =>
  Object.entries(env)
    .filter(([name]) => isSecret(name) || SECRET_NAME.test(name))
    .flatMap(([name, value = ""]) => [value, ...(LIST_NAME.test(name) ? valuesOf(value) : [])])
    .filter((value) => value.length >= SECRET_LENGTH_MIN)
    .sort((one, other) => other.length - one.length)

function valuesOf(list: string): string[] {
  const values = list.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
  return values.flatMap((value) => [value, decoded(value)])
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
    .replace(ADDRESS, hostOf)
    .replace(HEADER, `$1 ${REDACTED}`)
    .replace(TOKEN, REDACTED)
}

/** The path of a web hook's address is a secret too. */
function hostOf(address: string, scheme: string): string {
  const host = address.includes("@") ? undefined : HOST.exec(address)?.[0]
  return host === undefined ? `${scheme}://${REDACTED}` : `${host}/…`
}
