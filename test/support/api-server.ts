/**
 * The part that all doubles of APIs share: logins, pages, entity tags, and failures that can be
 * switched on. Each double keeps its state, and answers by a table of routes.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type ApiCall<State> = {
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  /** The user whose token it is. */
  readonly login: string
  readonly state: State
}

/** A list is cut into pages by the server. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A list without pages. */
  readonly isWhole?: boolean
}

export type ApiRoute<State> = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** As in `/repos/:owner/:repo/issues/:number`. */
  readonly path: string
  answer(call: ApiCall<State>): Reply
}

/** A failure that is switched on. */
export type Failure = {
  /** Default: every request. */
  readonly when?: (request: Served) => boolean
  /** How often it happens; default: until {@link ApiServer.heal}. */
  times?: number
  /**
   * An answer instead of the effect. `drop`: the connection breaks before the effect. `lose`: the
   * effect happens, and its answer is lost. `hang`: the effect happens, and no answer comes. `stall`: the
   * effect happens, and the answer stops in its middle. Both keep the connection.
   */
  readonly how: Reply | "drop" | "lose" | "hang" | "stall"
}

/** A request that arrived, and the status of its answer; undefined: none was sent. */
export type Served = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly login: string
  readonly isConditional: boolean
  readonly body: Readonly<Record<string, unknown>>
  status: number | undefined
}

const PER_PAGE = 30

export class ApiServer<State> implements AsyncDisposable {
  readonly served: Served[] = []
  /** The login of each token that is known. */
  readonly tokens = new Map([["token-of-robot", "robot"]])
  readonly state: State
  /** Runs between a request's arrival and its effect: a rival acts here. */
  onRequest: (request: Served) => void | Promise<void> = () => {}
  /** No page has more items, whatever `limit` asks for. */
  limitMax = 50
  readonly #routes: readonly ApiRoute<State>[]
  readonly #unknownToken: Reply
  readonly #failures: Failure[] = []
  /** On loopback. */
  readonly #server: Server
  /** At sockets in the file system. */
  readonly #others: Server[] = []

  /** @param unknownToken the answer to a token that is not known. */
  protected constructor(
    state: State,
    routes: readonly ApiRoute<State>[],
    unknownToken: Reply = { status: 401, body: { message: "Bad credentials" } },
  ) {
    this.state = state
    this.#routes = routes
    this.#unknownToken = unknownToken
    this.#server = this.#create()
  }

  #create(): Server {
    return createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    return this
  }

  /** Answers at a socket in the file system too, for clients that send every host there. */
  async listenAt(path: string): Promise<void> {
    const server = this.#create().listen(path)
    await once(server, "listening")
    this.#others.push(server)
  }

  /** For `api_url`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  fail(failure: Failure): void {
    this.#failures.push(failure)
  }

  /** Switches every failure off. */
  heal(): void {
    this.#failures.length = 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#server, ...this.#others]) {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = "GET", url: path = "/" } = request
    const login = this.tokens.get(tokenOf(request))
    const etag = request.headers["if-none-match"]
    const body = bodyOf(request, Buffer.concat(chunks).toString("utf8"))
    const isConditional = etag !== undefined
    const served: Served = {
      method,
      path,
      login: login ?? "",
      isConditional,
      body,
      status: undefined,
    }
    this.served.push(served)
    await this.onRequest(served)
    const how = this.#takeFailure(served)?.how
    if (how === "drop") return void response.destroy()
    const isReply = typeof how === "object"
    const reply = isReply ? how : this.#page(served.path, this.#answer(served, login), request)
    if (how === "lose") return void response.destroy()
    if (how === "hang") return
    if (how === "stall") return sendHalf(response, reply)
    served.status = send(response, reply, etag)
  }

  #takeFailure(request: Served): Failure | undefined {
    const found = this.#failures.find(({ when = () => true }) => when(request))
    if (found?.times !== undefined && --found.times <= 0)
      this.#failures.splice(this.#failures.indexOf(found), 1)
    return found
  }

  #answer({ method, path, body }: Served, login: string | undefined): Reply {
    if (login === undefined) return this.#unknownToken
    const { pathname, searchParams: query } = new URL(path, this.url)
    for (const route of this.#routes) {
      if (route.method !== method) continue
      const matched = match(route.path, pathname)
      if (!matched) continue
      return route.answer({ params: matched, query, body, login, state: this.state })
    }
    return { status: 404, body: { message: "Not Found" } }
  }

  /** Cuts a list into pages. They have a `link` header, or the total that the route says, as Gitea's do. */
  #page(path: string, reply: Reply, { headers: { host } }: IncomingMessage): Reply {
    const { status, headers: own, body, isWhole } = reply
    if (!Array.isArray(body) || isWhole === true) return reply
    // A client sends its token only to the host that it asked.
    const url = new URL(path, `http://${host}`)
    const size = Math.min(
      Number(url.searchParams.get("per_page") ?? url.searchParams.get("limit") ?? PER_PAGE),
      url.searchParams.has("limit") ? this.limitMax : Number.POSITIVE_INFINITY,
    )
    const page = Number(url.searchParams.get("page") ?? 1)
    const all: readonly unknown[] = body
    const links = []
    if (page * size < all.length) {
      url.searchParams.set("page", String(page + 1))
      links.push(`<${url.href}>; rel="next"`)
    }
    const headers = own ?? (links.length > 0 ? { link: links.join(", ") } : {})
    return { status, headers, body: all.slice((page - 1) * size, page * size) }
  }
}

/** A form is an object of texts. */
function bodyOf({ headers }: IncomingMessage, text: string): Record<string, unknown> {
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded")
  if (isForm === true) return Object.fromEntries(new URLSearchParams(text))
  return text === "" ? {} : JSON.parse(text)
}

/** `token x`, `Bearer x`, `Bot x`, `x` alone, or the password of `Basic`; else GitLab's header. */
function tokenOf({ headers }: IncomingMessage): string {
  const { authorization } = headers
  if (authorization === undefined) return String(headers["private-token"] ?? "")
  const basic = /^basic (.+)$/i.exec(authorization)?.[1]
  if (basic === undefined) return authorization.replace(/^(token|bearer|bot) /i, "")
  return Buffer.from(basic, "base64")
    .toString("utf8")
    .replace(/^[^:]*:/, "")
}

/** @returns the status that was sent. */
function send(response: ServerResponse, { status, headers, body }: Reply, etag?: string): number {
  const text = body === undefined ? "" : JSON.stringify(body)
  const own = `"${createHash("sha1").update(text).digest("hex")}"`
  // A client reads a body if its type is named.
  const type = body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }
  const all = { ...type, etag: own, ...headers }
  const isSame = status === 200 && etag === own
  if (isSame) response.writeHead(304, all).end()
  else response.writeHead(status, all).end(text)
  return isSame ? 304 : status
}

/** An answer without a body promises one, which does not come. */
function sendHalf(response: ServerResponse, { status, headers, body }: Reply): void {
  const text = body === undefined ? "" : JSON.stringify(body)
  const whole = { "content-type": "application/json", "content-length": text.length + 2 }
  response.writeHead(status === 204 ? 200 : status, { ...headers, ...whole })
  response.write(text.slice(0, text.length / 2) || " ")
}

/** The named parts of a path that fits `/repos/:owner/…`. */
function match(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [n, part] of wanted.entries()) {
    const found = given[n] ?? ""
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(found)
    else if (part !== found) return undefined
  }
  return params
}
