/**
 * Sends requests to GitHub's REST API, conditional ones where the answer may be the same.
 *
 * GitHub does not count an answer "not modified" against the limit of requests. While a limit is
 * reached, no request is sent at all. The token stands in one header, and in no error or log.
 */
import { request } from "@octokit/request"
import { ForgeError, strangeAnswer } from "./errors.ts"

export type GitHubApiOptions = {
  /** URL of the API. */
  readonly api: string
  /** Undefined: there is no login for it. */
  token(): Promise<string | undefined>
  nowMs(): number
}

type Params = Readonly<Record<string, unknown>>
type Answer = { readonly data: unknown; readonly headers: Readonly<Record<string, unknown>> }

/** GitHub ends its own work on a request after 10 s. */
const REQUEST_MS_MAX = 20_000
/** Answers that are kept for conditional requests. */
const KEPT_MAX = 500
const PAGES_MAX = 10
const PER_PAGE = 100
/** After a refusal that names no time. */
const QUIET_MS = 60_000
/** GitHub counts by the hour; a much later end is a wrong clock. */
const QUIET_MS_MAX = 2 * 60 * 60_000

export class GitHubApi {
  readonly #options: GitHubApiOptions
  readonly #kept = new Map<string, Answer & { readonly etag: string }>()
  /** No request is sent before this time. */
  #quietUntilMs = 0

  constructor(options: GitHubApiOptions) {
    this.#options = options
  }

  /** @param route as in `GET /repos/{owner}/{repo}`. @throws {ForgeError} */
  async ask(route: string, params: Params): Promise<unknown> {
    return (await this.#send(route, params)).data
  }

  /** All pages of a list. @param listOf the list in a page's answer. @throws {ForgeError} */
  async list(
    route: string,
    params: Params,
    listOf: (data: unknown) => unknown = (data) => data,
  ): Promise<readonly unknown[]> {
    const all: unknown[] = []
    for (let page = 1; page <= PAGES_MAX; page++) {
      const { data, headers } = await this.#send(route, { ...params, per_page: PER_PAGE, page })
      const items = listOf(data)
      if (!Array.isArray(items)) throw strangeAnswer()
      all.push(...items)
      if (!String(headers["link"] ?? "").includes('rel="next"')) break
    }
    return all
  }

  async #send(route: string, params: Params): Promise<Answer> {
    const { api, token, nowMs } = this.#options
    const quietMs = this.#quietUntilMs - nowMs()
    if (quietMs > 0 && quietMs <= QUIET_MS_MAX) throw this.#limited()
    const login = (await token())?.trim()
    // An error of the network library would print such a token.
    if (login === undefined || !/^[!-~]+$/.test(login)) throw noLogin(api)
    const key = `${route} ${JSON.stringify(params)}`
    const isQuestion = route.startsWith("GET ")
    const kept = isQuestion ? this.#kept.get(key) : undefined
    try {
      const { data, headers } = await request(route, {
        ...params,
        baseUrl: api,
        headers: {
          authorization: `token ${login}`,
          ...(kept && { "if-none-match": kept.etag }),
        },
        request: { signal: AbortSignal.timeout(REQUEST_MS_MAX), log: SILENT },
      })
      if (isQuestion) this.#keep(key, { data, headers })
      return { data, headers }
    } catch (error) {
      const failed = error as Failed
      if (failed.status === 304 && kept) return kept
      throw this.#explain(route, failed)
    }
  }

  #keep(key: string, answer: Answer): void {
    const { etag } = answer.headers
    if (typeof etag !== "string") return
    this.#kept.delete(key)
    this.#kept.set(key, { ...answer, etag })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
  }

  #explain(route: string, { status, response, message }: Failed): ForgeError {
    const { host } = new URL(this.#options.api)
    if (!response || status === undefined || status >= 500) {
      const why = response ? `answers with ${status}` : `does not answer: ${message ?? "no reason"}`
      return new ForgeError("forge.unavailable", `${host} ${why}`)
    }
    const headers = response.headers ?? {}
    const isSpent = String(headers["x-ratelimit-remaining"]) === "0"
    if (status === 429 || (status === 403 && (isSpent || headers["retry-after"] !== undefined))) {
      const nowMs = this.#options.nowMs()
      this.#quietUntilMs = Math.min(quietUntilMs(headers, nowMs), nowMs + QUIET_MS_MAX)
      return this.#limited()
    }
    const words = wordsOf(response.data) || `status ${status}`
    if (status === 401)
      return new ForgeError("forge.refused", `${host} does not accept the token: ${words}`, {
        hints: ["`gh auth login` makes a new one."],
      })
    return new ForgeError("forge.refused", `${host} refuses \`${route}\`: ${words}`)
  }

  #limited(): ForgeError {
    const { host } = new URL(this.#options.api)
    const retryAtMs = this.#quietUntilMs
    const until = new Date(retryAtMs).toISOString()
    const message = `${host} allows no more requests until ${until}`
    return new ForgeError("forge.unavailable", message, { retryAtMs })
  }
}

function quietUntilMs(headers: Readonly<Record<string, unknown>>, nowMs: number): number {
  const afterS = Number(headers["retry-after"])
  if (headers["retry-after"] !== undefined && afterS >= 0) return nowMs + afterS * 1_000
  const resetMs = Number(headers["x-ratelimit-reset"]) * 1_000
  return resetMs > nowMs ? resetMs : nowMs + QUIET_MS
}

/** An error of the client. It also has the request, which holds the token, so it goes no further. */
type Failed = {
  readonly status?: number
  readonly message?: string
  readonly response?: {
    readonly headers?: Readonly<Record<string, unknown>>
    readonly data?: unknown
  }
}

const silent = () => {}
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

const noLogin = (api: string) =>
  new ForgeError("forge.refused", `there is no usable login for ${new URL(api).host}`, {
    hints: [
      "`gh auth login` makes one; or set GH_TOKEN, or `repos.<name>.forge.token_variable`, and start the daemon again.",
    ],
  })

/** GitHub's sentence, and its details. */
function wordsOf(data: unknown): string {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: unknown }
  const details = (Array.isArray(errors) ? errors : []).flatMap((one: unknown) => {
    const text = typeof one === "string" ? one : (one as { message?: unknown } | null)?.message
    return typeof text === "string" ? text : []
  })
  return [typeof message === "string" ? message : "", ...details].filter(Boolean).join("; ")
}
