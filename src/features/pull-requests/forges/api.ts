/** Asks a forge's REST API: a reply is an answer, or becomes a {@link ForgeError}. */
import { z } from "zod"
import type { Oid } from "../../../base/ids.ts"
import type { RestReply } from "../../rest/client.ts"
import type { Pull } from "../rules.ts"
import { ForgeError, strangeAnswer } from "./errors.ts"

export type ForgeOptions = {
  /** URL of the API. */
  readonly api: string
  /** The project's path on the forge: `<owner>/<name>`. */
  readonly project: string
  /** Undefined: there is no login for it. */
  token(): Promise<string | undefined>
  nowMs(): number
  /** How long one request may take. Default: the client's. */
  readonly requestMsMax?: number | undefined
}

/** The parts that differ between forges. */
type ForgeKind = {
  /** For people: `GitHub`. */
  readonly name: string
  readonly host: string
  /** A sentence: how a person makes a login. */
  readonly loginHint: string
  /** The parameter that sets the size of a page, and the largest that the forge takes. Default: GitHub's. */
  readonly pageSize?: PageSize
  readonly client: { send(route: string, params: Params): Promise<RestReply> }
}

type PageSize = { readonly parameter: string; readonly max: number }

type Params = Readonly<Record<string, unknown>>
type Ok = Extract<RestReply, { readonly kind: "ok" }>

/** Answers that a client keeps: a few for each open pull request. */
export const KEPT_MAX = 500
/** Reviews or checks of one pull request: more than a person reads. */
const ITEMS_MAX = 1_000
/** A server may give fewer on a page than it is asked for. */
const PAGES_MAX = 100
const PAGE_SIZE: PageSize = { parameter: "per_page", max: 100 }

/** Nothing else may reach git as the name of a commit. */
export const oid = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .transform((text) => text as Oid)

export class ForgeApi {
  readonly #kind: ForgeKind

  constructor(kind: ForgeKind) {
    this.#kind = kind
  }

  /** @param route as in `GET /repos/{owner}/{repo}`. @throws {ForgeError} */
  async ask<Answer>(route: string, params: Params, schema: z.ZodType<Answer>): Promise<Answer> {
    return this.#read(schema, (await this.#send(route, params)).data)
  }

  /** All pages of a list: a part could lack the item that decides. @param listOf the list in a page's answer. @throws {ForgeError} */
  async list<Item>(
    route: string,
    params: Params,
    item: z.ZodType<Item>,
    listOf: (data: unknown) => unknown = (data) => data,
  ): Promise<readonly Item[]> {
    const { parameter, max } = this.#kind.pageSize ?? PAGE_SIZE
    const all: Item[] = []
    for (let page = 1; page <= PAGES_MAX && all.length < ITEMS_MAX; page++) {
      const {
        data,
        hasNext,
        total = 0,
      } = await this.#send(route, {
        ...params,
        [parameter]: max,
        page,
      })
      const found = this.#read(z.array(item).max(max), listOf(data))
      all.push(...found)
      // Gitea counts items that it does not show, such as reviews that are not sent yet.
      if (!hasNext && (all.length >= total || found.length === 0)) return all
    }
    const message = `a list has more than ${ITEMS_MAX} items, and Coppice reads no part of one`
    throw new ForgeError("forge.refused", message)
  }

  /** @throws {ForgeError} `forge.unavailable` for the answer of something else, such as a proxy. */
  #read<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
    const { data, success } = schema.safeParse(answer)
    if (!success) throw strangeAnswer(this.#kind.name)
    return data
  }

  async #send(route: string, params: Params): Promise<Ok> {
    const reply = await this.#kind.client.send(route, params)
    if (reply.kind === "ok") return reply
    throw errorOf(this.#kind, route, reply)
  }
}

function errorOf(
  { host, loginHint }: ForgeKind,
  route: string,
  reply: Exclude<RestReply, Ok>,
): ForgeError {
  const hints = [loginHint]
  if (reply.kind === "unavailable")
    return new ForgeError("forge.unavailable", `${host} ${reply.why}`)
  if (reply.kind === "no_login")
    return new ForgeError("forge.refused", `there is no usable login for ${host}`, { hints })
  if (reply.kind === "limited") {
    const { untilMs: retryAtMs } = reply
    const message = `${host} allows no more requests until ${new Date(retryAtMs).toISOString()}`
    return new ForgeError("forge.unavailable", message, { retryAtMs })
  }
  const { status } = reply
  const message = reply.message || `status ${status}`
  if (status !== 401)
    return new ForgeError("forge.refused", `${host} refuses \`${route}\`: ${message}`, { status })
  const refusal = `${host} does not accept the token: ${message}`
  return new ForgeError("forge.refused", refusal, { hints, status })
}

/** @returns why the forge refuses; undefined if it does not. @throws {ForgeError} if it is away. */
export async function refusalOf(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked
    return undefined
  } catch (error) {
    if (error instanceof ForgeError && !error.isUnavailable) return error.message
    throw error
  }
}

/** An earlier request may have been carried out although its answer was lost. */
export async function openOrFind(
  open: () => Promise<Pull>,
  find: () => Promise<Pull | undefined>,
): Promise<Pull> {
  try {
    return await open()
  } catch (error) {
    const earlier = error instanceof ForgeError && !error.isUnavailable && (await find())
    if (earlier) return earlier
    throw error
  }
}
