/**
 * Serves the dashboard: its files, which are the same for every home, and the login of a browser.
 *
 * The page has no script of its own in its HTML, and may load nothing from elsewhere. Its data comes
 * from the routes of api/wire/routes.ts, which need a session.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { TEXT_CHARS_MAX } from "../../base/input-bounds.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { LoginCode, ProofRequest, type SessionDocument } from "../wire/browser.ts"
import type { BrowserAccess, Place } from "./browser-access.ts"
import { readDashboard } from "./dashboard-files.ts"
import { parse } from "./routes.ts"

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:"],
  ...[
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ],
  ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types coppice"],
].join("; ")

/** On every answer, documents included: no page of another origin may embed or sniff one. */
const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
}

/**
 * A request that anybody on this machine may send, without a token: a login, or a form with the words of
 * a person, of which each character may take nine bytes.
 */
export const PUBLIC_BYTES_MAX = 9 * TEXT_CHARS_MAX + 1024

const NOT_BUILT =
  "The dashboard is not built in this clone. `npm run dashboard` builds it; then load this page again.\n"

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a route is served without a session or a token. */
    readonly isPublic?: boolean
    /** Whether it is also for the sessions of read-only links. */
    readonly isForReaders?: boolean
    /** Whether it passes requests on to the daemon of another home, which checks them itself. */
    readonly isForOtherHome?: boolean
    /** Opens this route alone, besides what opens all. */
    readonly ownToken?: string
  }
}

type Pages = {
  readonly browsers: BrowserAccess
  /** The addresses of the daemon. */
  places(): readonly Place[]
  /** The address that a request names, which was checked. */
  placeOf(request: FastifyRequest): Place
}

export function dashboardRoutes(
  server: FastifyInstance,
  { browsers, places, placeOf }: Pages,
): void {
  let files: ReturnType<typeof readDashboard> | undefined
  const config = { isPublic: true }
  const posted = { config, bodyLimit: PUBLIC_BYTES_MAX }
  server.addHook("onSend", async (_request, reply) => {
    for (const [name, value] of Object.entries(HEADERS))
      if (!reply.hasHeader(name)) reply.header(name, value)
  })
  // The page finds in its address which home it shows.
  for (const path of ["/", "/homes/:home/"])
    server.get(path, { config }, async (_request, reply) => sendFile(reply, "index.html"))
  server.get<{ Params: { "*": string } }>("/assets/*", { config }, async ({ params }, reply) =>
    sendFile(reply.header("cache-control", "max-age=31536000, immutable"), `assets/${params["*"]}`),
  )
  for (const name of ["favicon.svg", "manifest.webmanifest", "service-worker.js"])
    server.get(`/${name}`, { config }, async (_request, reply) => sendFile(reply, name))
  server.post("/session", posted, async (request, reply) => {
    const { code } = parse(LoginCode, request.body)
    const session = request.headers.origin && browsers.logIn(code, placeOf(request), places())
    if (!session)
      throw new DaemonError("request.unauthorized", "This link was used, or is too old.")
    const document: SessionDocument = { key: session.key }
    return reply.header("set-cookie", session.cookie).send(document)
  })
  server.post("/session/proof", posted, async (request) => {
    const proof = browsers.prove(parse(ProofRequest, request.body), placeOf(request))
    if (!proof) throw new DaemonError("request.unauthorized", "This session has ended.")
    return proof
  })
  server.post("/session/end", { config: { isForReaders: true } }, async (request, reply) =>
    reply.header("set-cookie", browsers.logOut(request, placeOf(request))).send({}),
  )

  function sendFile(reply: FastifyReply, name: string): FastifyReply {
    // A clone may be built while its daemon runs.
    if (!files || files.size === 0) files = readDashboard()
    const bytes = files.get(name)
    const type = TYPES[name.split(".").at(-1) ?? ""]
    if (bytes && type) return reply.type(type).send(bytes)
    return reply.status(404).type("text/plain; charset=utf-8").send(NOT_BUILT)
  }
}
