/**
 * Sends requests to GitHub's REST API: conditional where an answer is known, and within limits.
 *
 * GitHub does not count an answer "not modified" against the limit of requests. While a limit is
 * reached, no request is sent at all. The token is in one header, and in no reply. Redirects are
 * followed within the API alone: it redirects requests about a renamed repository.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
import { request } from "@octokit/request"
import { isToken } from "../rest/client.ts"
import { AnswerError, fetchBounded } from "../rest/fetch-bounded.ts"

export type GitHubOptions = {
  /** URL of the API. */
  readonly api: string
  /** Undefined: there is no login for it. */
  token(): Promise<string | undefined>
  nowMs(): number
  /** How many answers are kept for conditional requests. */
  readonly keptMax: number
}

export type GitHubReply =
  /** `isNew`: it is not the answer of an earlier request. `hasNext`: the list goes on. */
  | {
      readonly kind: "ok"
      readonly data: unknown
      readonly isNew: boolean
      readonly hasNext: boolean
    }
  /** `words`: GitHub's own; empty if it says nothing. */
  | { readonly kind: "refused"; readonly status: number; readonly words: string }
  | { readonly kind: "limited"; readonly untilMs: number }
  | { readonly kind: "no_login" }
  /** `why` completes a sentence about the host: `answers with 502`. */
  | { readonly kind: "away"; readonly why: string }

type Params = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, unknown>>
type Ok = Extract<GitHubReply, { readonly kind: "ok" }>

/** An error of the library. It also has the request, which holds the token, so it goes no further. */
type Failed = {
  readonly name?: string
  /** The error of `fetch`, with its own cause. */
  readonly cause?: { readonly name?: string; readonly cause?: { readonly code?: unknown } }
  readonly status?: number
  readonly response?: { readonly headers?: Headers; readonly data?: unknown }
}

/** GitHub ends its own work on a request after 10 s. */
const REQUEST_MS_MAX = 20_000
/** After a refusal that names no time. */
const LIMIT_MS = 60_000
/** GitHub counts by the hour; a later end is a wrong clock. */
const LIMIT_MS_MAX = 61 * 60_000
const WORDS_CHARS_MAX = 500
const REDIRECTS_MAX = 3

const silent = () => {}
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

export class GitHubClient {
  readonly #options: GitHubOptions
  readonly #kept = new Map<string, { readonly etag: string; readonly answer: Ok }>()
  /** No request is sent before this time. */
  #limitedUntilMs = 0

  constructor(options: GitHubOptions) {
    this.#options = options
  }

  /** @param route as in `GET /repos/{owner}/{repo}`. @throws the reason of `signal` when it aborts. */
  async send(route: string, params: Params, signal?: AbortSignal): Promise<GitHubReply> {
    const { api, token, nowMs } = this.#options
    const limitedMs = this.#limitedUntilMs - nowMs()
    if (limitedMs > 0 && limitedMs <= LIMIT_MS_MAX)
      return { kind: "limited", untilMs: this.#limitedUntilMs }
    const login = (await token())?.trim()
    if (login === undefined || !isToken(login)) return { kind: "no_login" }
    const key = route.startsWith("GET ") ? `${route} ${JSON.stringify(params)}` : undefined
    const known = key === undefined ? undefined : this.#kept.get(key)
    const timeout = AbortSignal.timeout(REQUEST_MS_MAX)
    try {
      const { data, headers } = await request(route, {
        ...params,
        baseUrl: api,
        headers: {
          authorization: `token ${login}`,
          ...(known && { "if-none-match": known.etag }),
        },
        request: {
          fetch: fetchWithin,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
          log: SILENT,
        },
      })
      const hasNext = String(headers.link ?? "").includes('rel="next"')
      const answer = { kind: "ok", data, hasNext, isNew: true } as const
      if (key !== undefined && headers.etag !== undefined) this.#keep(key, headers.etag, answer)
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      const failed = error as Failed
      if (failed.status !== 304 || key === undefined || !known) return this.#understand(failed)
      this.#keep(key, known.etag, known.answer)
      return { ...known.answer, isNew: false }
    }
  }

  /** The answer that was used longest ago gives way. */
  #keep(key: string, etag: string, answer: Ok): void {
    this.#kept.delete(key)
    this.#kept.set(key, { etag, answer })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#options.keptMax && oldest !== undefined) this.#kept.delete(oldest)
  }

  #understand({ name, cause, status, response }: Failed): GitHubReply {
    if (!response || status === undefined) {
      const isLate = [name, cause?.name].some(
        (one) => one === "TimeoutError" || one === "AbortError",
      )
      // The message of `fetch` itself may have the whole address, and what it holds.
      const code = cause?.cause?.code
      const own = cause instanceof AnswerError ? cause.message : "no connection"
      const reason = typeof code === "string" ? code : own
      const why = isLate ? `not within ${REQUEST_MS_MAX / 1000} s` : reason
      return { kind: "away", why: `does not answer: ${why}` }
    }
    if (status >= 500) return { kind: "away", why: `answers with ${status}` }
    const words = wordsOf(response.data)
    const nowMs = this.#options.nowMs()
    const untilMs = limitOf({ status, words, headers: response.headers ?? {}, nowMs })
    if (untilMs === undefined) return { kind: "refused", status, words }
    this.#limitedUntilMs = Math.min(untilMs, nowMs + LIMIT_MS_MAX)
    return { kind: "limited", untilMs: this.#limitedUntilMs }
  }
}

const REDIRECTS = [301, 302, 307, 308]

/** Repeats the same request where the API redirects to itself. */
async function fetchWithin(url: string, init: RequestInit): Promise<Response> {
  let at = new URL(url)
  for (let n = 0; n <= REDIRECTS_MAX; n++) {
    const response = await fetchBounded(at.href, init)
    const place = response.headers.get("location")
    if (!REDIRECTS.includes(response.status) || place === null) return response
    const next = new URL(place, at)
    if (next.origin !== at.origin) throw new AnswerError("it redirects to another address")
    at = next
  }
  throw new AnswerError(`it redirects more than ${REDIRECTS_MAX} times`)
}

type Refused = {
  readonly status: number
  readonly words: string
  readonly headers: Headers
  readonly nowMs: number
}

/** @returns when a limit ends; undefined if the answer is about something else. */
function limitOf({ status, words, headers, nowMs }: Refused): number | undefined {
  if (status !== 429 && status !== 403) return undefined
  const after = headers["retry-after"]
  if (after !== undefined) return nowMs + (Number(after) >= 0 ? Number(after) * 1_000 : LIMIT_MS)
  const isSpent = String(headers["x-ratelimit-remaining"]) === "0"
  const resetMs = Number(headers["x-ratelimit-reset"]) * 1_000
  if (isSpent && resetMs > nowMs) return resetMs
  const isLimit = status === 429 || isSpent || /rate limit/i.test(words)
  return isLimit ? nowMs + LIMIT_MS : undefined
}

/** GitHub's sentence, and its details. */
function wordsOf(data: unknown): string {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: unknown }
  const details = (Array.isArray(errors) ? errors : []).flatMap((one: unknown) => {
    const text = typeof one === "string" ? one : (one as { message?: unknown } | null)?.message
    return typeof text === "string" ? text : []
  })
  const words = [typeof message === "string" ? message : "", ...details].filter(Boolean).join("; ")
  return words.slice(0, WORDS_CHARS_MAX)
}
