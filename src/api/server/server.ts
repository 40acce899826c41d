/** The daemon's HTTP server: loopback, a token on everything, errors as documents. */
import websocket from "@fastify/websocket"
import { type FastifyError, type FastifyInstance, type FastifyRequest, fastify } from "fastify"
import { REQUEST_BYTES_MAX } from "../../base/input-bounds.ts"
import { DaemonEndingError, DaemonError } from "../../kernel/errors.ts"
import { iso } from "../documents/row-documents.ts"
import type { Fleet } from "../fleet.ts"
import { addressOf, type Given, ROUTES } from "../wire/routes.ts"
import { AGENT_PATH, agentRoutes } from "./agent.ts"
import { answerError, answerUnreadable } from "./answer-error.ts"
import { type BrowserAccess, isForPage, isOfPage, type Place, placeOf } from "./browser-access.ts"
import { Connections } from "./connections.ts"
import { dashboardRoutes } from "./dashboard.ts"
import type { Operations } from "./operations.ts"
import type { Outer } from "./outer-server.ts"
import { addRoutes, type Own } from "./routes.ts"
import { isSameToken, tokenOf } from "./token.ts"

/** How long a request may take to arrive: over loopback it comes at once. */
const HEAD_MS_MAX = 10_000
const REQUEST_MS_MAX = 30_000
const CHECK_MS = 2_000
/** Followers only listen, and the page of a terminal sends its keys in small messages. */
const MESSAGE_BYTES_MAX = 1024
/** A title may be any length; Node's limit on a request's head applies. */
const REF_CHARS_MAX = 16 * 1024

/** Accepted from a daemon that is ending, or whose configuration is not approved. */
const ALWAYS_ACCEPTED = [
  ...[addressOf(ROUTES.down.at).path, addressOf(ROUTES.loginLink.at).path],
  ...["/session", "/session/proof", "/session/end"],
]

export type Served = Own & {
  /** Absent: this server is for one answer. */
  readonly isLasting?: boolean
  readonly fleet: Fleet
  readonly operations: Pick<Operations, "answer" | "carryOut">
  readonly token: string
  readonly browsers: BrowserAccess
  /** Absent: only this machine reaches the daemon. */
  readonly outer?: Outer | undefined
  /** Whether the daemon has been asked to end, and accepts nothing new. */
  isEnding(): boolean
  /** Throws while the home is read-only because its configuration is not approved. */
  requireApproval(): void
  onBug(error: unknown): void
}

/** @returns the server, listening nowhere yet. */
export async function createServer({
  fleet,
  token,
  operations,
  browsers,
  outer,
  ...served
}: Served): Promise<FastifyInstance> {
  const connections = new Connections()
  const places = () => placesOf(server, fleet, outer)
  const server = fastify({
    bodyLimit: REQUEST_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    http: { headersTimeout: HEAD_MS_MAX, connectionsCheckingInterval: CHECK_MS },
    forceCloseConnections: true,
    return503OnClosing: false, // Fastify's text; we check isEnding instead
    routerOptions: { maxParamLength: REF_CHARS_MAX },
    frameworkErrors: (error, request, reply) =>
      answerError(trustOf(request) ? error : unauthorized(), reply, served.onBug),
    clientErrorHandler: answerUnreadable,
  })
  connections.watch(server.server)
  outer?.join(server)
  await server.register(websocket, { options: { maxPayload: MESSAGE_BYTES_MAX } })
  server.addHook("onRequest", async (request) => {
    if (server.server.listening) namedBy(request, places()) // else it is for one answer of our own
    if (request.routeOptions.config.isPublic) return
    const trust = trustOf(request)
    if (!trust) throw unauthorized()
    if (trust === "reader" && !request.routeOptions.config.isForReaders) throw readOnly()
    connections.trust(request.raw.socket, agentTokenOf(request))
    const isWatching = isOfPage(request.headers) || isForPage(request.headers)
    if (request.ws && isWatching && trust !== "reader") browsers.watch(request.raw.socket)
  })
  // Only after the body has been read: a client that is still sending would miss the answer.
  server.addHook("preHandler", async ({ method, routeOptions }) => {
    if (method !== "POST" || ALWAYS_ACCEPTED.includes(routeOptions.url ?? "")) return
    if (served.isEnding()) throw new DaemonEndingError()
    if (!routeOptions.config.isForOtherHome) served.requireApproval()
  })
  server.setErrorHandler<FastifyError>((error, _, reply) => answerError(error, reply, served.onBug))
  server.setNotFoundHandler((request) => {
    throw new DaemonError("request.invalid", `There is no ${request.method} ${request.url}.`)
  })
  agentRoutes(server, fleet, served.onBug)
  dashboardRoutes(server, { browsers, places, placeOf: (request) => namedBy(request, places()) })
  const loginLink = (asked: Given<"loginLink">) => linkTo(places(), browsers.newCode(asked))
  addRoutes(server, { fleet, operations, own: { ...served, loginLink } })
  serveFeatures(server, { ...served, fleet }, (request) => trustOf(request) === "whole")
  return server

  /** @returns undefined for a request that is refused. */
  function trustOf(request: FastifyRequest): "whole" | "reader" | undefined {
    const { headers, method } = request
    const isHere = !outer?.has(request.raw.socket)
    const agent = isHere ? agentTokenOf(request) : undefined
    if (agent !== undefined) return fleet.agents.jobOf(agent) && "whole"
    const place = placeOf(headers, places())
    if (isOfPage(headers)) {
      const session = place && browsers.sessionOf({ method, headers }, place)
      return session && (session.readOnly ? "reader" : "whole")
    }
    if (!isHere) return undefined // tokens are for this machine alone
    const { ownToken = token } = request.routeOptions?.config ?? {}
    const isKnown = [token, ownToken].some((wanted) => isSameToken(tokenOf(headers), wanted))
    return isKnown ? "whole" : undefined
  }
}

function serveFeatures(
  server: FastifyInstance,
  { fleet, isLasting = false, isEnding, status }: Omit<Served, "operations" | "token" | "browsers">,
  isPersons: (request: FastifyRequest) => boolean,
): void {
  const version = () => status().version
  for (const feature of fleet.features)
    feature.serve?.(server, { fleet, isLasting, isEnding, isPersons, version })
}

function linkTo(places: readonly Place[], { code, untilMs }: ReturnType<BrowserAccess["newCode"]>) {
  const [own, other] = places.map(({ origin }) => `${origin}/#/login/${code}`)
  return { url: own ?? "", elsewhere: other ?? null, expiresAt: iso(untilMs) }
}

/** A page of another origin can reach us under a name of its own, and then names that one. */
function namedBy({ headers }: FastifyRequest, places: readonly Place[]): Place {
  const place = placeOf(headers, places)
  if (!place) throw unauthorized()
  return place
}

/** The server's own address, that beyond loopback, and that of the proxy in front, as far as there are. */
function placesOf(
  { server }: FastifyInstance,
  fleet: Fleet,
  outer: Outer | undefined,
): readonly Place[] {
  const at = server.address()
  const host = at === null || typeof at === "string" ? "" : `${at.address}:${at.port}`
  const { url } = fleet.config().dashboard
  const proxy = url === undefined ? undefined : { host: new URL(url).host, origin: url }
  const all = [{ host, origin: `http://${host}` }, proxy, outer?.place]
  return all.filter((place) => place !== undefined)
}

/** Undefined for a route of people. */
const agentTokenOf = ({ headers, routeOptions }: FastifyRequest): string | undefined =>
  routeOptions?.url?.startsWith(AGENT_PATH) ? tokenOf(headers) : undefined

const readOnly = () =>
  new DaemonError("request.read_only", "This link lets you look, and change nothing.")

function unauthorized(): DaemonError & FastifyError {
  return new DaemonError("request.unauthorized", "The token is missing or wrong.")
}
