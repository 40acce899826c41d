/**
 * Sends requests to an API that speaks JSON, and keeps to its rate limits.
 *
 * A request whose answer we have kept is conditional, since many hosts do not count "not modified"
 * against the rate limit. Once a limit is reached, we send nothing until it ends. The token is in one
 * header and in no reply. We follow no redirects, so it reaches no other host.
 */
import { type ApiRequest, type ApiResponse, exchangeJson } from "./exchange-json.ts"
import { AnswerError } from "./fetch-bounded.ts"

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
  /** How long one request may take, with its whole answer. Default: {@link REQUEST_MS_MAX}. */
  readonly requestMsMax?: number | undefined
  /** Sends one request. Default: plain JSON. @throws {Error} if there is no answer. */
  readonly exchange?: (request: ApiRequest) => Promise<ApiResponse>
}

/** The options that do not depend on the kind of API. */
export type ApiOptions = Omit<RestOptions, "authorize" | "exchange">

export type RestReply =
  /** `hasNext`: the list goes on. `total`: the number of items on all pages, if the host says so. */
  | {
      readonly kind: "ok"
      readonly data: unknown
      readonly hasNext: boolean
      readonly total: number | undefined
    }
  /** `message`: from the host; empty if it gives none. */
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
  | { readonly kind: "limited"; readonly untilMs: number }
  | { readonly kind: "no_login" }
  /** `why` completes a sentence about the host: `answers with 502`. */
  | { readonly kind: "unavailable"; readonly why: string }

type Ok = Extract<RestReply, { readonly kind: "ok" }>
type Kept = { readonly etag: string; readonly answer: Ok }
/** `key`: its answer can be kept. `known`: the answer of last time. */
type Keeping = {
  readonly key: string | undefined
  readonly known: Kept | undefined
  readonly pageSize: number
}

/** Hosts time out sooner than this. */
const REQUEST_MS_MAX = 20_000
/** After a refusal that names no time. */
const LIMIT_MS = 60_000
/** Hosts count by the hour at most; a later end is a wrong clock. */
const LIMIT_MS_MAX = 61 * 60_000
const TEXT_CHARS_MAX = 500

export class RestClient {
  readonly #options: RestOptions
  readonly #kept = new Map<string, Kept>()
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
  async send(
    route: string,
    params: ApiRequest["params"],
    signal?: AbortSignal,
  ): Promise<RestReply> {
    const { api, token, nowMs, authorize, exchange = exchangeJson } = this.#options
    const { requestMsMax = REQUEST_MS_MAX } = this.#options
    const limitedMs = this.#limitedUntilMs - nowMs()
    if (limitedMs > 0 && limitedMs <= LIMIT_MS_MAX)
      return { kind: "limited", untilMs: this.#limitedUntilMs }
    const login = (await token())?.trim()
    if (login === undefined || !isToken(login)) return { kind: "no_login" }
    const key = route.startsWith("GET ") ? `${route} ${JSON.stringify(params)}` : undefined
    const known = key === undefined ? undefined : this.#kept.get(key)
    const pageSize = Number(params["per_page"] ?? params["limit"] ?? Number.POSITIVE_INFINITY)
    const timeout = AbortSignal.timeout(requestMsMax)
    const response = exchange({
      api,
      route,
      params,
      headers: { ...authorize(login), ...(known && { "if-none-match": known.etag }) },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    try {
      return this.#toReply(await response, { key, known, pageSize })
    } catch (error) {
      signal?.throwIfAborted()
      return { kind: "unavailable", why: `does not answer: ${whyOf(error, requestMsMax)}` }
    }
  }

  #toReply({ status, headers, data }: ApiResponse, { key, known, pageSize }: Keeping): RestReply {
    if (status === 304 && key !== undefined && known) {
      this.#keep(key, known.etag, known.answer)
      return known.answer
    }
    if (status >= 200 && status < 300) {
      const hasNext = (headers.get("link") ?? "").includes('rel="next"')
      const total = Number(headers.get("x-total-count") ?? Number.NaN) || undefined
      const answer = { kind: "ok", data, hasNext, total } as const
      const etag = headers.get("etag")
      // A new item would be on the next page, and this page would count as unchanged.
      const isFullEnd = Array.isArray(data) && data.length >= pageSize && !hasNext
      if (key !== undefined && etag !== null && !isFullEnd) this.#keep(key, etag, answer)
      return answer
    }
    if (status >= 500) return { kind: "unavailable", why: `answers with ${status}` }
    const message = messageOf(data)
    const nowMs = this.#options.nowMs()
    const untilMs = limitOf({ status, message, data, headers, nowMs })
    if (untilMs === undefined) return { kind: "refused", status, message }
    this.#limitedUntilMs = Math.min(untilMs, nowMs + LIMIT_MS_MAX)
    return { kind: "limited", untilMs: this.#limitedUntilMs }
  }

  /** Drops the least recently used answer. */
  #keep(key: string, etag: string, answer: Ok): void {
    this.#kept.delete(key)
    this.#kept.set(key, { etag, answer })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#options.keptMax && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** The network library would print an invalid token in its error. */
export const isToken = (text: string): boolean => /^[!-~]+$/.test(text)

/** The message of `fetch` would show the whole URL, with its parameters. */
function whyOf(error: unknown, requestMsMax: number): string {
  if (error instanceof AnswerError) return error.message
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: unknown } }
  if (name === "TimeoutError" || name === "AbortError") return `not within ${requestMsMax / 1000} s`
  const code = cause?.code
  return typeof code === "string" ? code : "no connection"
}

type Refused = ApiResponse & { readonly message: string; readonly nowMs: number }

/** @returns when a limit ends; undefined if the answer is about something else. */
function limitOf({ status, message, data, headers, nowMs }: Refused): number | undefined {
  const isLinearLimit = status === 400 && JSON.stringify(data).includes('"RATELIMITED"')
  if (status !== 429 && status !== 403 && !isLinearLimit) return undefined
  const after = headers.get("retry-after")
  const remaining = headers.get("x-ratelimit-remaining")
  // GitHub also answers 403 when the login lacks a permission.
  const isRateLimit = after !== null || remaining === "0" || /rate limit/i.test(message)
  if (status === 403 && !isRateLimit) return undefined
  if (Number(after ?? Number.NaN) >= 0) return nowMs + Number(after) * 1_000
  // If requests are left, another limit was reached, and the host does not say when it ends.
  const resets = LIMITS.filter((name) => (headers.get(`${name}-remaining`) ?? "0") === "0")
    .map((name) => timeOf(headers.get(`${name}-reset`)))
    .filter((resetMs) => resetMs > nowMs)
  return resets.length > 0 ? Math.max(...resets) : nowMs + LIMIT_MS
}

/** GitLab; GitHub, Gitea and Jira; Linear, which also limits the cost of queries. */
const LIMITS = ["ratelimit", "x-ratelimit", "x-ratelimit-requests", "x-ratelimit-complexity"]
/** A smaller number counts seconds. */
const FIRST_MS = 100_000_000_000

/** @param text seconds or milliseconds since the epoch, or a date. */
function timeOf(text: string | null): number {
  const number = Number(text ?? Number.NaN)
  if (Number.isNaN(number)) return Date.parse(text ?? "")
  return number < FIRST_MS ? number * 1_000 : number
}

/** The host's sentence, and its details. */
function messageOf(data: unknown): string {
  const { message, error, errorMessages, errors } = Object(data) as Record<string, unknown>
  const texts = [message, error, errorMessages, errors].flatMap((one) => textsOf(one, 3))
  return [...new Set(texts)].filter(Boolean).join("; ").slice(0, TEXT_CHARS_MAX)
}

function textsOf(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth === 0) return []
  if ("message" in value && typeof value.message === "string") return [value.message]
  return Object.values(value).flatMap((one) => textsOf(one, depth - 1))
}
