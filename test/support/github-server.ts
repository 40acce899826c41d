/**
 * A look-alike of GitHub's REST API on loopback: it keeps its state, and failures can be switched on.
 *
 * Each resource has a file in `github/`, with its routes and its state. To add one, write the file,
 * and add its routes to {@link ROUTES} and its state to {@link GitHubState}.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { CHECK_ROUTES } from "./github/checks.ts"
import { COMMENT_ROUTES } from "./github/comments.ts"
import { ISSUE_ROUTES, Issues } from "./github/issues.ts"
import { PULL_ROUTES, Pulls } from "./github/pulls.ts"
import { REVIEW_ROUTES } from "./github/reviews.ts"
import type { Call, GitHubState, Reply, Route } from "./github/route.ts"

const ROUTES: readonly Route[] = [
  ...ISSUE_ROUTES,
  ...COMMENT_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...CHECK_ROUTES,
]

/** A failure that is switched on. */
export type Failure = {
  /** Default: every request. */
  readonly when?: (request: Served) => boolean
  /** How often it happens; default: until {@link GitHubServer.heal}. */
  times?: number
  /**
   * An answer instead of the effect. `drop`: the connection breaks before the effect. `lose`: the
   * effect happens, and its answer is lost. `hang`: no answer at all.
   */
  readonly how: Reply | "drop" | "lose" | "hang"
}

/** A request that arrived, and the status of its answer; undefined: none was sent. */
export type Served = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly login: string
  readonly isConditional: boolean
  status: number | undefined
}

const PER_PAGE = 30

export class GitHubServer implements AsyncDisposable {
  readonly served: Served[] = []
  /** The login of each token that is known. */
  readonly tokens = new Map([["token-of-robot", "robot"]])
  readonly state: GitHubState
  /** Runs between a request's arrival and its effect: a rival acts here. */
  onRequest: (request: Served) => void | Promise<void> = () => {}
  readonly #failures: Failure[] = []
  readonly #server: Server

  private constructor(nowMs: () => number) {
    this.state = {
      nowMs,
      members: new Set(["robot"]),
      issues: new Issues(nowMs),
      pulls: new Pulls(),
    }
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  static async start(nowMs: () => number = Date.now): Promise<GitHubServer> {
    const server = new GitHubServer(nowMs)
    server.#server.listen(0, "127.0.0.1")
    await once(server.#server, "listening")
    return server
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
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = "GET", url: path = "/" } = request
    const token = request.headers.authorization?.replace(/^(token|bearer) /i, "")
    const login = this.tokens.get(token ?? "")
    const etag = request.headers["if-none-match"]
    const served: Served = {
      method,
      path,
      login: login ?? "",
      isConditional: etag !== undefined,
      status: undefined,
    }
    this.served.push(served)
    await this.onRequest(served)
    const how = this.#takeFailure(served)?.how
    if (how === "drop") return void response.destroy()
    if (how === "hang") return
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString("utf8")) : {}
    const isReply = how !== undefined && how !== "lose"
    const reply = isReply ? how : this.#answer({ method, path, login, body })
    if (how === "lose") return void response.destroy()
    served.status = send(response, reply, etag)
  }

  #takeFailure(request: Served): Failure | undefined {
    const found = this.#failures.find(({ when = () => true }) => when(request))
    if (found?.times !== undefined && --found.times <= 0)
      this.#failures.splice(this.#failures.indexOf(found), 1)
    return found
  }

  #answer({ method, path, login, body }: Asked): Reply {
    if (login === undefined) return { status: 401, body: { message: "Bad credentials" } }
    const { pathname, searchParams: query } = new URL(path, this.url)
    for (const route of ROUTES) {
      if (route.method !== method) continue
      const matched = match(route.path, pathname)
      if (!matched) continue
      const call: Call = { params: matched, query, body, login, state: this.state }
      const reply = route.answer(call)
      return Array.isArray(reply.body) ? this.#page(path, reply) : reply
    }
    return { status: 404, body: { message: "Not Found" } }
  }

  /** Cuts a list into pages, with GitHub's `link` header. */
  #page(path: string, { status, body }: Reply): Reply {
    const url = new URL(path, this.url)
    const size = Number(url.searchParams.get("per_page") ?? PER_PAGE)
    const page = Number(url.searchParams.get("page") ?? 1)
    const all = body as readonly unknown[]
    const links = []
    if (page * size < all.length) {
      url.searchParams.set("page", String(page + 1))
      links.push(`<${url.href}>; rel="next"`)
    }
    const headers = links.length > 0 ? { link: links.join(", ") } : {}
    return { status, headers, body: all.slice((page - 1) * size, page * size) }
  }
}

type Asked = {
  readonly method: string
  readonly path: string
  readonly login: string | undefined
  readonly body: Record<string, unknown>
}

/** @returns the status that was sent. */
function send(response: ServerResponse, { status, headers, body }: Reply, etag?: string): number {
  const text = body === undefined ? "" : JSON.stringify(body)
  const own = `"${createHash("sha1").update(text).digest("hex")}"`
  const all = { "content-type": "application/json; charset=utf-8", etag: own, ...headers }
  const isSame = status === 200 && etag === own
  if (isSame) response.writeHead(304, all).end()
  else response.writeHead(status, all).end(text)
  return isSame ? 304 : status
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
