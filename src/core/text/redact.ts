/**
 * Takes secrets out of texts. Pure.
 *
 * From the daemon's log go known values, and whatever looks like a secret. From the words of agents and the output
 * of commands go only the values of the credentials that we gave them: the rest is their work.
 */
import { isSecret } from "./secrets.ts"

type Env = Readonly<Record<string, string | undefined>>

const REDACTED = "[redacted]"
/** Up to the next space: a password may hold any other letter. */
const ADDRESS = /\b(https?|wss?|ssh|git):\/\/\S+/gi
const HOST = /^[^/]+\/\/[^\s/?#'"`<>()[\],;]+/
/** The password in an address. */
const PASSWORD = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i
const SCHEME = /^(bearer|basic) /i
const HEADER = /\b(bearer|basic) [\w.~+/=-]{8,}/gi
const TOKEN = /\b(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-)[\w-]{8,}/g
const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|_KEY|_PAT)$/i
/** `name=value,name=value`, percent-encoded, or `name: value` in lines: each value is a secret. */
const LIST_NAME = /HEADERS$/
/** A shorter value would be found in words that are no secret. */
const SECRET_LENGTH_MIN = 8

/** The secret values of an environment, the longest first: one may be a part of another. */
export const secretsOf = (env: Env): string[] =>
  longestFirst(
    Object.entries(env)
      .filter(([name]) => isSecret(name) || SECRET_NAME.test(name))
      .flatMap(([name, value = ""]) => [value, ...(LIST_NAME.test(name) ? valuesOf(value) : [])]),
  )

/**
 * The credentials in the environment of an agent or a command. Unlike {@link secretsOf} it leaves settings of model
 * providers as they are, and the hosts of proxies: agents speak of both.
 */
export const credentialsOf = (env: Env): string[] =>
  longestFirst(
    Object.entries(env).flatMap(([name, value = ""]) => [
      ...(SECRET_NAME.test(name) ? [value, ...value.split("\n")] : []),
      ...(LIST_NAME.test(name) ? valuesOf(value) : []),
      ...(PASSWORD.exec(value)?.slice(1).flatMap(bothForms) ?? []),
    ]),
  )

const longestFirst = (values: readonly string[]): string[] =>
  [...new Set(values.map((value) => value.trim()))]
    .filter((value) => value.length >= SECRET_LENGTH_MIN)
    .sort((one, other) => other.length - one.length)

function valuesOf(list: string): string[] {
  const values = list.split(/[,\n]/).map((pair) => pair.slice(pair.search(/[=:]/) + 1).trim())
  return values.flatMap(bothForms).flatMap((value) => [value, value.replace(SCHEME, "")])
}

const bothForms = (value: string): string[] => [value, decoded(value)]

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

export function redact(text: string, secrets: readonly string[]): string {
  return replaceAll(text, secrets)
    .replace(ADDRESS, hostOf)
    .replace(HEADER, `$1 ${REDACTED}`)
    .replace(TOKEN, REDACTED)
}

const replaceAll = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)

/** Takes out the values, and one that is cut off at the end of the text. */
export function hide(text: string, values: readonly string[]): string {
  const left = replaceAll(text, values)
  const end = left.endsWith("…") ? "…" : ""
  const whole = left.slice(0, left.length - end.length)
  const begun = begunAtEnd(whole, values)
  if (begun < SECRET_LENGTH_MIN) return left
  return `${whole.slice(0, whole.length - begun)}${REDACTED}${end}`
}

/** The same for each text in a document. */
export function hideIn<T>(document: T, values: readonly string[]): T {
  if (typeof document === "string") return hide(document, values) as T
  if (Array.isArray(document)) return document.map((item) => hideIn(item, values)) as T
  if (typeof document !== "object" || document === null) return document
  const entries = Object.entries(document).map(([name, value]) => [name, hideIn(value, values)])
  return Object.fromEntries(entries) as T
}

/** The same for a text that comes in pieces: an end that may begin a value waits for the next piece. */
export class HidingStream {
  readonly #values: readonly string[]
  #held = ""

  constructor(values: readonly string[]) {
    this.#values = values
  }

  /** @returns the part that can be shown now; possibly none. */
  push(piece: string): string {
    const all = replaceAll(this.#held + piece, this.#values)
    const shown = all.length - begunAtEnd(all, this.#values)
    this.#held = all.slice(shown)
    return all.slice(0, shown)
  }

  /** A new text begins. */
  clear(): void {
    this.#held = ""
  }
}

/** How many letters at the end of the text begin one of the values. */
function begunAtEnd(text: string, values: readonly string[]): number {
  const lengths = values.map((value) => {
    let length = Math.min(value.length - 1, text.length)
    while (length > 0 && !text.endsWith(value.slice(0, length))) length--
    return length
  })
  return Math.max(0, ...lengths)
}

/** The path of a web hook's address is a secret too. */
function hostOf(address: string, scheme: string): string {
  const host = address.includes("@") ? undefined : HOST.exec(address)?.[0]
  return host === undefined ? `${scheme}://${REDACTED}` : `${host}/…`
}
