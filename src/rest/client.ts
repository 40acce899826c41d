/**
 * Sends requests to an API that speaks JSON: conditional where an answer is known, and within limits.
 *
 * While a limit of the host is reached, no request is sent at all. The token is in one header only.
 * Redirects are not followed, so it reaches no other host.
 */
import { AnswerError, fetchBounded } from "./fetch-bounded.ts"

export type RestOptions = {
  /** URL of the API. */
  readonly api: string
  /** Undefined: there is no login for it. */
  token(): Promise<string | undefined>
  /** The headers that log in with a token. */
  authorize(token: string): Readonly<Record<string, string>>
  nowMs(): number
  /** How many answers are kept for conditional requests. */
  readonly keptMax: number
}

export type RestReply =
  /** `isNew`: it is not the answer of an earlier request. `hasNext`: the list goes on. */
  | {
      readonly kind: "ok"
      readonly data: unknown
      readonly isNew: boolean
      readonly hasNext: boolean
    }
  /** `words`: the host's own; empty if it says nothing. */
  | { readonly kind: "refused"; readonly status: number; readonly words: string }
  | { readonly kind: "limited"; readonly untilMs: number }
  | { readonly kind: "no_login" }
  /** `why` completes a sentence about the host: `answers with 502`. */
  | { readonly kind: "away"; readonly why: string }

type Params = Readonly<Record<string, unknown>>
type Ok = Extract<RestReply, { readonly kind: "ok" }>

/** Hosts end their own work on a request sooner. */
const REQUEST_MS_MAX = 20_000
/** After a refusal that names no time. */
const LIMIT_MS = 60_000
/** Hosts count by the hour at most; a later end is a wrong clock. */
const LIMIT_MS_MAX = 61 * 60_000
const WORDS_CHARS_MAX = 500

export class RestClient {
  readonly #options: RestOptions
  readonly #kept = new Map<string, { readonly etag: string; readonly answer: Ok }>()
  /** No request is sent before this time. */
  #limitedUntilMs = 0

  constructor(options: RestOptions) {
    this.#options = options
  }

  /**
   * @param route as in `GET /projects/{project}/issues`: a parameter that it does not name goes into the
   *   query, or into the body of a request that changes something.
   * @throws the reason of `signal` when it aborts.
   */
  async send(route: string, params: Params, signal?: AbortSignal): Promise<RestReply> {
    const { token, nowMs, authorize } = this.#options
    const limitedMs = this.#limitedUntilMs - nowMs()
    if (limitedMs > 0 && limitedMs <= LIMIT_MS_MAX)
      return { kind: "limited", untilMs: this.#limitedUntilMs }
    const login = (await token())?.trim()
    if (login === undefined || !isToken(login)) return { kind: "no_login" }
    const { method, url, body } = this.#fill(route, params)
    const known = method === "GET" ? this.#kept.get(url) : undefined
    const timeout = AbortSignal.timeout(REQUEST_MS_MAX)
    try {
      const response = await fetchBounded(url, {
        method,
        headers: {
          accept: "application/json",
          "user-agent": "coppice",
          ...authorize(login),
          ...(known && { "if-none-match": known.etag }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return await this.#understand(response, url, known)
    } catch (error) {
      signal?.throwIfAborted()
      return { kind: "away", why: `does not answer: ${whyOf(error)}` }
    }
  }

  #fill(route: string, params: Params) {
    const [method = "GET", path = ""] = route.split(" ", 2)
    const rest = { ...params }
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      delete rest[name]
      return partOf(params[name])
    })
    const url = this.#options.api.replace(/\/+$/, "") + filled
    if (method !== "GET" && method !== "DELETE") return { method, url, body: JSON.stringify(rest) }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined) query.set(name, String(value))
    return { method, url: query.size > 0 ? `${url}?${query}` : url, body: undefined }
  }

  async #understand(
    response: Response,
    url: string,
    known: { readonly etag: string; readonly answer: Ok } | undefined,
  ): Promise<RestReply> {
    const { status, headers } = response
    if (status === 304 && known) {
      this.#keep(url, known.etag, known.answer)
      return { ...known.answer, isNew: false }
    }
    const data = parse(await response.text())
    if (response.ok) {
      const hasNext = (headers.get("link") ?? "").includes('rel="next"')
      const answer = { kind: "ok", data, hasNext, isNew: true } as const
      const etag = headers.get("etag")
      if (etag !== null) this.#keep(url, etag, answer)
      return answer
    }
    if (status >= 500) return { kind: "away", why: `answers with ${status}` }
    const nowMs = this.#options.nowMs()
    const untilMs = limitOf({ status, data, headers, nowMs })
    if (untilMs === undefined) return { kind: "refused", status, words: wordsOf(data) }
    this.#limitedUntilMs = Math.min(untilMs, nowMs + LIMIT_MS_MAX)
    return { kind: "limited", untilMs: this.#limitedUntilMs }
  }

  /** The answer that was used longest ago gives way. */
  #keep(url: string, etag: string, answer: Ok): void {
    this.#kept.delete(url)
    this.#kept.set(url, { etag, answer })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#options.keptMax && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** The network library would print an invalid token in its error. */
export const isToken = (text: string): boolean => /^[!-~]+$/.test(text)

/** One part of a path. Dots alone would lead out of it. */
function partOf(value: unknown): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new Error("a part of an address is empty, or only dots")
  return encodeURIComponent(text)
}

/** A text that is not JSON comes from something else, such as a proxy. */
function parse(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** `fetch`'s own message would have the whole address, and what it holds. */
function whyOf(error: unknown): string {
  if (error instanceof AnswerError) return error.message
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: unknown } }
  if (name === "TimeoutError") return `not within ${REQUEST_MS_MAX / 1000} s`
  const code = cause?.code
  return typeof code === "string" ? code : "no connection"
}

type Refused = {
  readonly status: number
  readonly data: unknown
  readonly headers: Headers
  readonly nowMs: number
}

/** @returns when a limit ends; undefined if the answer is about something else. */
function limitOf({ status, data, headers, nowMs }: Refused): number | undefined {
  const isLinears = status === 400 && JSON.stringify(data).includes('"RATELIMITED"')
  if (status !== 429 && !isLinears) return undefined
  const after = Number(headers.get("retry-after") ?? Number.NaN)
  if (after >= 0) return nowMs + after * 1_000
  const resets = RESETS.map((name) => timeOf(headers.get(name)))
  return resets.find((resetMs) => resetMs > nowMs) ?? nowMs + LIMIT_MS
}

/** GitLab, Gitea and Jira, Linear. */
const RESETS = ["ratelimit-reset", "x-ratelimit-reset", "x-ratelimit-requests-reset"]
/** A smaller number counts seconds. */
const FIRST_MS = 100_000_000_000

/** @param text seconds or milliseconds since the epoch, or a date. */
function timeOf(text: string | null): number {
  const number = Number(text ?? Number.NaN)
  if (Number.isNaN(number)) return Date.parse(text ?? "")
  return number < FIRST_MS ? number * 1_000 : number
}

/** The host's sentence, and its details. */
function wordsOf(data: unknown): string {
  const { message, error, errorMessages, errors } = Object(data) as Record<string, unknown>
  const texts = [message, error, errorMessages, errors].flatMap((one) => textsOf(one, 3))
  return [...new Set(texts)].filter(Boolean).join("; ").slice(0, WORDS_CHARS_MAX)
}

function textsOf(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth === 0) return []
  return Object.values(value).flatMap((one) => textsOf(one, depth - 1))
}
