/** Asks the API of a tracker: a reply is an answer, or a failure of the whole source. */
import type { ApiOptions, RestClient, RestReply } from "../../rest/client.ts"
import { SourceError } from "../errors.ts"
import { type Answer, GONE } from "./answer.ts"

/** Pages of one list, and a few more. */
const KEPT_MAX = 32
const STATUS_GONE: ReadonlySet<number> = new Set([404, 410])
const STATUS_FORBIDDEN: ReadonlySet<number> = new Set([400, 403, 409, 422])

export type Params = Readonly<Record<string, unknown>>

type Options = Omit<ApiOptions, "keptMax">
/** The options that do not depend on the settings of a source. */
export type ApiParts = Omit<Options, "api">

export class TrackerApi {
  /** Without a slash at its end. */
  readonly url: string
  readonly #client: RestClient
  readonly #always: Params

  /** @param always the parameters that every request has. */
  constructor(client: (options: ApiOptions) => RestClient, options: Options, always: Params = {}) {
    this.url = options.api.replace(/\/+$/, "")
    this.#client = client({ ...options, api: this.url, keptMax: KEPT_MAX })
    this.#always = always
  }

  /** @throws {SourceError} if the tracker as a whole cannot be used now. */
  async ask(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    const reply = await this.#client.send(route, { ...this.#always, ...params }, signal)
    return answerOf(reply, this.url)
  }
}

/** @throws {SourceError} */
function answerOf(reply: RestReply, api: string): Answer {
  if (reply.kind === "ok") return reply
  if (reply.kind === "unavailable")
    throw new SourceError("source.unreachable", `${api} cannot be used now: it ${reply.why}.`)
  if (reply.kind === "limited")
    throw new SourceError("source.limited", `${api} wants fewer requests.`, reply.untilMs)
  if (reply.kind === "no_login")
    throw new SourceError("source.refused", `There is no token for ${api}.`)
  const { status, message } = reply
  if (STATUS_GONE.has(status)) return GONE
  if (STATUS_FORBIDDEN.has(status)) return { kind: "forbidden", why: message || `status ${status}` }
  if (status === 401)
    throw new SourceError("source.refused", `${api} refuses the token: ${message}.`)
  throw new SourceError("source.refused", `${api} answers with ${status}: ${message}.`)
}
