/** The daemon's log: JSON lines on stderr, without the secrets that an error may carry. */
import { type DestinationStream, type Logger, pino } from "pino"
import { isSecret } from "../core/secrets.ts"
import { escapeJson } from "../core/shown.ts"

type Env = Readonly<Record<string, string | undefined>>

const REDACTED = "[redacted]"
/** Up to the next space: a password may hold any other letter. */
const ADDRESS = /\b(https?|wss?|ssh|git):\/\/\S+/gi
const HOST = /^[^/]+\/\/[^\s/?#'"`<>()[\],;]+/
const HEADER = /\b(bearer|basic) [\w.~+/=-]{8,}/gi
const TOKEN = /\b(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-)[\w-]{8,}/g
const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|_KEY)$/i
/** A shorter value would be found in words that are no secret. */
const SECRET_LENGTH_MIN = 8
const CAUSES_MAX = 5

export function createLog(env: Env): Logger {
  const destination = pino.destination({ fd: 2, sync: true })
  destination.on("error", () => {}) // the log's disk is full: the daemon works on without a log
  return createLogTo(destination, env)
}

export function createLogTo(destination: DestinationStream, env: Env): Logger {
  const serializers = { err: (error: unknown) => describe(error, secretsOf(env)) }
  // JSON leaves some invisible characters as they are, but people read the log on terminals.
  return pino({ base: null, serializers, hooks: { streamWrite: escapeJson } }, destination)
}

/** The longest first: one may be a part of another. */
const secretsOf = (env: Env): string[] =>
  Object.entries(env)
    .filter(([name]) => isSecret(name) || SECRET_NAME.test(name))
    .flatMap(([, value = ""]) => (value.length < SECRET_LENGTH_MIN ? [] : [value]))
    .sort((one, other) => other.length - one.length)

/** Nothing else of an error: an HTTP client's holds the headers of its request. */
function describe(error: unknown, secrets: readonly string[], depth = 0): object {
  const redacted = (text: unknown) => redact(String(text), secrets)
  if (!(error instanceof Error)) return { message: redacted(error) }
  const { name, message, stack, cause } = error
  const code = "code" in error ? error.code : undefined
  return {
    type: redacted(name),
    message: redacted(message),
    ...(code !== undefined && { code: redacted(code) }),
    ...(stack && { stack: redacted(stack) }),
    ...(cause !== undefined &&
      depth < CAUSES_MAX && { cause: describe(cause, secrets, depth + 1) }),
  }
}

function redact(text: string, secrets: readonly string[]): string {
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
