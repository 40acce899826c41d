/**
 * Every route once more below `/homes/<id>`, for the other homes of this person: one address serves all.
 *
 * The daemon that is asked checks session, Host and Origin, and then asks the other daemon with the token
 * from that home's state directory, as a command does. The path comes from the table of routes, so no
 * request leads anywhere else, or on to a third daemon. Only status and document of the answer go back.
 * The address is read afresh each time: a daemon that restarts at another port is found again.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { DaemonAddress } from "../../api/client/daemon-address.ts"
import { blockerOf } from "../../api/client/http.ts"
import { exchangeRaw } from "../../api/client/http-exchange.ts"
import type { Serving } from "../../api/feature-host.ts"
import { isOfPage } from "../../api/server/browser-access.ts"
import { addressOf, ROUTES, type Route, type RouteName } from "../../api/wire/routes.ts"
import { FOR_PAGE_HEADER } from "../../api/wire/session.ts"
import type { Home } from "../../kernel/home.ts"
import { findOtherDaemon, notAnswering, notRunning } from "./other-homes.ts"
import { Tunnels } from "./tunnels.ts"

/** These answers are the same at each daemon. */
const OF_ALL_HOMES: readonly RouteName[] = ["homes", "demo"]
/**
 * The other daemon answers within 2 s, or names an operation; a wait for that is answered within 20 s.
 * A page waits 30 s for us.
 */
const ANSWER_MS_MAX = 25_000
const UNAUTHORIZED = 401

type Context = Pick<Serving, "isPersons" | "version"> & { readonly home: Pick<Home, "stateDir"> }
type Request = FastifyRequest<{ Params: { home: string; ref?: string } }>

export function otherHomeRoutes(server: FastifyInstance, context: Context): void {
  const tunnels = new Tunnels()
  server.addHook("preClose", async () => tunnels.end())
  for (const name of Object.keys(ROUTES) as RouteName[])
    if (!OF_ALL_HOMES.includes(name)) add(ROUTES[name])

  function add({ at, isFollowed, isTerminal }: Route): void {
    const [method, path] = at.split(" ") as [string, string]
    const find = ({ params }: Request) =>
      findOtherDaemon(context.home, params.home, context.version())
    const preValidation = async (request: Request, reply: FastifyReply) => {
      if (!request.ws || !(isFollowed || isTerminal)) return
      const daemon = find(request)
      reply.hijack()
      tunnels.open(request, {
        address: daemon.address,
        path: pathOf(at, request),
        headers: headersFor(daemon, request),
        isAllowed: () => context.isPersons(request),
        findBlocker: blockerOf(daemon.pid),
      })
    }
    server.route<{ Params: { home: string; ref?: string } }>({
      method,
      url: `/homes/:home${path}`,
      config: { isForOtherHome: true },
      preValidation,
      handler: (request, reply) => pass({ at, request, reply, daemon: find(request) }),
    })
  }
}

type Passed = {
  readonly at: Route["at"]
  readonly request: Request
  readonly reply: FastifyReply
  readonly daemon: DaemonAddress
}

async function pass({ at, request, reply, daemon }: Passed): Promise<FastifyReply> {
  const { method } = addressOf(at)
  const key = request.headers["idempotency-key"]
  const answer = await exchangeRaw({
    address: daemon.address,
    method,
    path: pathOf(at, request),
    headers: {
      ...headersFor(daemon, request),
      ...(method === "POST" && { "Content-Type": "application/json" }),
      ...(typeof key === "string" && { "Idempotency-Key": key }),
    },
    body: method === "POST" ? JSON.stringify(request.body ?? {}) : "",
    waitMsMax: ANSWER_MS_MAX,
    findBlocker: blockerOf(daemon.pid),
  })
  if (answer.kind === "failed") throw notAnswering(daemon, answer.message)
  // The daemon refuses the token: another one has taken its place since.
  if (answer.kind !== "answered" || answer.status === UNAUTHORIZED) throw notRunning(daemon.home)
  return reply.status(answer.status).type("application/json; charset=utf-8").send(answer.text)
}

function pathOf(at: Route["at"], { params, url }: Request): string {
  const query = url.indexOf("?")
  return `${addressOf(at, params.ref).path}${query < 0 ? "" : url.slice(query)}`
}

const headersFor = ({ token }: DaemonAddress, { headers }: Request) => ({
  Authorization: `Bearer ${token}`,
  ...(isOfPage(headers) && { [FOR_PAGE_HEADER]: "true" }),
})
