/**
 * Requests to GitHub: conditional where the answer is known, with a time limit, and errors by kind.
 *
 * An answer about one thing (it is gone, it is forbidden) is returned. A failure of the whole source is
 * thrown, with the time of the next try where GitHub names one. No error holds a token.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
import { request } from "@octokit/request"
import { SourceError } from "../errors.ts"

export type Answer<Data = unknown> =
  | { readonly kind: "ok"; readonly data: Data; readonly hasNext: boolean; readonly isNew: boolean }
  /** It does not exist, or no longer. */
  | { readonly kind: "gone" }
  | { readonly kind: "forbidden"; readonly why: string }

export type ApiParts = {
  /** Without a slash at its end. */
  readonly url: string
  /** @throws {SourceError} if there is none. */
  token(): Promise<string>
  nowMs(): number
}

type Params = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string | number | undefined>>
type Failed = {
  readonly status?: number
  readonly name?: string
  readonly message?: string
  readonly response?: { readonly headers: Headers; readonly data?: unknown }
}

type Known = { readonly etag: string; readonly answer: Extract<Answer, { kind: "ok" }> }

/** GitHub answers within 10 s, or never. */
const ANSWER_MS_MAX = 30_000
/** For a limit whose end GitHub does not name, as it asks for. */
const LIMIT_MS = 60_000
/** GitHub counts by the hour; a later end is a wrong clock. */
const LIMIT_MS_MAX = 60 * 60_000
/** Pages of one list, and a few more: the answer that was used longest ago gives way. */
const KNOWN_MAX = 32

const GONE: ReadonlySet<unknown> = new Set([404, 410])

export class GitHubApi {
  readonly #parts: ApiParts
  /** Answers by their requests: an unchanged one costs nothing of the limit. */
  readonly #known = new Map<string, Known>()

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  /** @param route as in `GET /repos/{owner}/{repo}/issues`. @throws {SourceError} */
  async ask(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    const { url, token } = this.#parts
    const isReading = route.startsWith("GET ")
    const key = isReading ? JSON.stringify([route, params]) : undefined
    const known = key === undefined ? undefined : this.#known.get(key)
    const authorization = `token ${await token()}`
    const headers = { authorization, ...(known ? { "if-none-match": known.etag } : {}) }
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)])
    try {
      const { data, headers: got } = await request(route, {
        ...params,
        headers,
        baseUrl: url,
        request: { signal: limited },
      })
      const hasNext = /rel="next"/.test(String(got.link ?? ""))
      const answer = { kind: "ok", data, hasNext, isNew: true } as const
      if (key !== undefined && got.etag !== undefined)
        this.#remember(key, { etag: got.etag, answer })
      return answer
    } catch (error) {
      signal.throwIfAborted()
      const failed = error as Failed
      if (failed.status === 304 && key !== undefined && known) {
        this.#remember(key, known)
        return { ...known.answer, isNew: false }
      }
      return this.#understand(failed)
    }
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key)
    this.#known.set(key, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest)
  }

  #understand({ status, name, message = "", response }: Failed): Answer<never> {
    const { url, nowMs } = this.#parts
    const said = textOf(response?.data) ?? message
    const retryAtMs = response && limitOf(status, response.headers, said, nowMs())
    if (retryAtMs !== undefined)
      throw new SourceError(
        "source.limited",
        `${url} wants fewer requests.`,
        Math.min(retryAtMs, nowMs() + LIMIT_MS_MAX),
      )
    if (GONE.has(status) && response) return { kind: "gone" }
    if (status === 401 && response)
      throw new SourceError("source.refused", `${url} refuses the token: ${said}.`)
    if ((status === 403 || status === 422) && response) return { kind: "forbidden", why: said }
    if (response && status !== undefined && status < 500)
      throw new SourceError("source.refused", `${url} answers with ${status}: ${said}.`)
    const why = response
      ? `it answers with ${status}`
      : name === "TimeoutError" || name === "AbortError"
        ? `it gave no answer within ${ANSWER_MS_MAX / 1000} s`
        : message
    throw new SourceError("source.unreachable", `${url} cannot be used now: ${why}.`)
  }
}

/** GitHub's own sentence. */
function textOf(data: unknown): string | undefined {
  const { message } = (typeof data === "object" && data !== null ? data : {}) as {
    readonly message?: unknown
  }
  return typeof message === "string" ? message : undefined
}

/** @returns when a limit ends; undefined if the answer is about something else. */
function limitOf(
  status: number | undefined,
  headers: Headers,
  said: string,
  nowMs: number,
): number | undefined {
  if (status !== 429 && status !== 403) return undefined
  const after = Number(headers["retry-after"])
  if (headers["retry-after"] !== undefined)
    return nowMs + (Number.isFinite(after) ? after * 1000 : LIMIT_MS)
  const reset = Number(headers["x-ratelimit-reset"])
  if (headers["x-ratelimit-remaining"] === "0" && reset > 0) return reset * 1000
  const isLimit = status === 429 || /rate limit/i.test(said)
  return isLimit ? nowMs + LIMIT_MS : undefined
}
