/**
 * Knows which values are secret, and takes them out of the daemon's log. Pure.
 *
 * From the daemon's log go known values, and whatever looks like a secret. From the words of agents and the output
 * of commands go only the values of the credentials that we gave them (hide.ts): the rest is their work.
 */
import { REDACTED, replaceAll, SECRET_LENGTH_MIN } from "./hide.ts"
import { isSecret } from "./secrets.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Up to the next space: a password may hold any other letter. */
const ADDRESS = /\b(https?|wss?|ssh|git):\/\/\S+/gi
const HOST = /^[^/]+\/\/[^\s/?#'"`<>()[\],;]+/
/** The password in an address. */
const PASSWORD = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i
const SCHEME = /^(bearer|basic) /i
const HEADER = /\b(bearer|basic) [\w.~+/=-]{8,}/gi
const TOKEN = /\b(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-)[\w-]{8,}/g
const SECRET_NAME =
  /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|_KEY|_PAT|CREDENTIALS?)(_JSON|_B64|_BASE64)?$/i
/** `name=value,name=value`, percent-encoded, or `name: value` in lines: each value is a secret. */
const LIST_NAME = /HEADERS$/
/** The same for letters of one case with digits. */
const MIXED_LENGTH_MIN = 12
const FILE_PATH = /^(~|\.{1,2})?(\/[\w.-]+){2,}$/
/** The names of headers whose values are credentials. */
const SECRET_HEADER = /auth|key|token|secret|cookie|credential/i
/** The same of options and of parts of a query, where `--key-prefix` and `--author` are none. */
const SECRET_OPTION =
  /(^|[-_]|api|access|session|refresh|client)(auth|authorization|key|token|secret|cookie|credentials?|password|passwd|pat|pw)$/i
const OPTION = /^--?([\w-]+)(?:=(.*))?$/

/** The secret values of an environment, the longest first: one may be a part of another. */
export const secretsOf = (env: Env): string[] =>
  longestFirst(
    Object.entries(env)
      .filter(([name]) => isSecret(name) || SECRET_NAME.test(name))
      .flatMap(([name, value = ""]) => [value, ...(LIST_NAME.test(name) ? valuesOf(value) : [])]),
  )

/**
 * The credentials in the environment of an agent or a command. Unlike {@link secretsOf} it leaves settings of model
 * providers as they are, the hosts of proxies, and values that may be words of the work: agents speak of all three.
 */
export const credentialsOf = (env: Env): string[] =>
  longestFirst(
    Object.entries(env).flatMap(([name, value = ""]) => [
      ...(SECRET_NAME.test(name) ? [value, ...value.split(APART)].filter(isPartOf(value)) : []),
      ...(LIST_NAME.test(name) ? valuesOf(value, SECRET_HEADER).filter(isNoWord) : []),
      ...(PASSWORD.exec(value)?.slice(1).flatMap(bothForms).filter(isNoWord) ?? []),
    ]),
  )

/** The lines of a key begin alike, and not at random. */
const PRIVATE_KEY = /PRIVATE KEY-----/
const BASE64_LINE = /^[A-Za-z0-9+/=]{16,}$/
/** Lines, and the texts in JSON, whose own lines may be written as `\\n`. */
const APART = /\\n|["'\s]+/
const AWS_KEY = /^(AKIA|ASIA)[A-Z\d]{16}$/
const isPartOf = (value: string) => (part: string) =>
  isRandom(part) || (PRIVATE_KEY.test(value) && BASE64_LINE.test(part))
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Words and numbers of names and versions are between these, and are short. */
const SEPARATORS = /[-_./:,]+/
const PART_LENGTH_MIN = 6
const PIECES = /[A-Z]?[a-z]+|[A-Z]+|\d+/g
const PIECES_MIN = 4
/** Random letters change between small, capital and digit after two or three; words do later. */
const PIECE_LENGTH_MAX = 3.5
/** Of one case they change later. A long text with several digits is hardly one of words. */
const LONG_PIECES = [
  { length: 24, pieceLengthMax: 6 },
  { length: 16, pieceLengthMax: 4.5 },
]
/** A word with a number has fewer changes; a date has no letters. */
const LONG_DIGITS_MIN = 3
/** As licence keys have them. Words are rarely of one length. */
const GROUP_LENGTH_MIN = 5
/** Names of three parts are usual. */
const GROUPS_MIN = 4

/**
 * Whether a value of a variable is a credential, and not a word, name, path or date of the work. The name says too
 * little: `CACHE_KEY=production-eu-2026`.
 */
function isRandom(value: string): boolean {
  if (value.includes("\n")) return true
  if (/\s|:\/\/|^arn:/.test(value) || FILE_PATH.test(value)) return false
  if (UUID.test(value) || value.search(TOKEN) === 0 || AWS_KEY.test(value)) return true
  if (isGrouped(value.split("-"))) return true
  const parts = value.split(SEPARATORS).filter(({ length }) => length >= PART_LENGTH_MIN)
  const pieces = parts.flatMap((part) => part.match(PIECES) ?? [])
  const letters = pieces.join("")
  return (
    /\d/.test(letters) &&
    /[a-z]/i.test(letters) &&
    parts.join("").length >= MIXED_LENGTH_MIN &&
    pieces.length >= PIECES_MIN &&
    letters.length / pieces.length <= pieceLengthMax(letters)
  )
}

function pieceLengthMax(letters: string): number {
  if (letters.replace(/\D/g, "").length < LONG_DIGITS_MIN) return PIECE_LENGTH_MAX
  const long = LONG_PIECES.find(({ length }) => letters.length >= length)
  return long?.pieceLengthMax ?? PIECE_LENGTH_MAX
}

function isGrouped(groups: readonly string[]): boolean {
  const all = groups.join("")
  return (
    groups.length >= GROUPS_MIN &&
    groups.every((one) => one.length >= GROUP_LENGTH_MIN && one.length === groups[0]?.length) &&
    /^[a-z\d]+$/i.test(all) &&
    all.replace(/\D/g, "").length >= LONG_DIGITS_MIN
  )
}

/** The credentials of a server that an agent uses: its variables or headers, and those in its address. */
export function credentialsOfServer(
  values: Readonly<Record<string, string>>,
  url: string,
): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1]?.replaceAll("&", "\n") ?? ""
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  const ofQuery = valuesOf(query, SECRET_OPTION).filter(isNoWord)
  return longestFirst([...credentialsOf({ ...values, url, HEADERS: pairs.join(",") }), ...ofQuery])
}

/**
 * The credentials in the words that start a server: `--api-key X`, `--token=X`, `-e API_KEY=X`,
 * headers and addresses.
 */
export function credentialsOfCommand(words: readonly string[]): string[] {
  const found = words.flatMap((word, at) => {
    const [, name = "", value = words[at + 1] ?? ""] = OPTION.exec(word) ?? []
    const isSecretOption = SECRET_OPTION.test(name) && !name.startsWith("no-")
    const ofOption = isSecretOption ? valuesOf(`key=${encodeURIComponent(value)}`) : []
    const header = /^(?:--?[\w-]+=)?([\w-]+: ?\S.*)$/.exec(word)?.[1] ?? ""
    const url = word.slice(Math.max(0, word.search(/\b[a-z][\w+.-]*:\/\//i)))
    const [, variable = "", set = ""] = /^(?:--?[\w-]+=)?(\w+)=(.*)$/.exec(word) ?? []
    return [
      ...ofOption.filter(isNoWord),
      ...credentialsOf({ [variable]: set }),
      ...credentialsOfServer({}, url),
      ...credentialsOf({ HEADERS: header }),
      ...(word.search(TOKEN) === 0 ? [word] : []),
    ]
  })
  return longestFirst(found)
}

/** The same where a place is for credentials alone, such as a header: a value may be a weaker one. */
function isNoWord(value: string): boolean {
  if (value.includes("\n")) return true
  if (value.length < SECRET_LENGTH_MIN || /\s|:\/\//.test(value) || FILE_PATH.test(value))
    return false
  const digits = value.replace(/\D/g, "").length
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && digits > 0
  return isMixed || (value.length >= MIXED_LENGTH_MIN && /[a-z]/i.test(value) && digits >= 2)
}

const longestFirst = (values: readonly string[]): string[] =>
  [...new Set(values.map((value) => value.trim()))]
    .filter((value) => value.length >= SECRET_LENGTH_MIN)
    .sort((one, other) => other.length - one.length)

/** @param ofName the names whose values count. */
function valuesOf(list: string, ofName = /^/): string[] {
  const pairs = list.split(/[,\n]/).map((pair) => [pair, pair.search(/[=:]/)] as const)
  const values = pairs
    .filter(([pair, at]) => ofName.test(pair.slice(0, Math.max(at, 0))))
    .map(([pair, at]) => pair.slice(at + 1).trim())
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

/** The path of a web hook's address is a secret too. */
function hostOf(address: string, scheme: string): string {
  const host = address.includes("@") ? undefined : HOST.exec(address)?.[0]
  return host === undefined ? `${scheme}://${REDACTED}` : `${host}/…`
}
