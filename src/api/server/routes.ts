/** Registers the routes of api/wire/routes.ts with their handlers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import { assert } from "../../base/assert.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Feature } from "../feature.ts"
import type { Fleet } from "../fleet.ts"
import type { Handlers } from "../handler.ts"
import {
  type Answer,
  type FollowedName,
  type Given,
  ROUTES,
  type Route,
  type RouteName,
} from "../wire/routes.ts"
import { SCHEMAS } from "../wire/schemas.ts"
import { SOURCES } from "./event-pages.ts"
import { HANDLERS } from "./handlers.ts"
import { describeApi } from "./openapi.ts"
import type { Operations } from "./operations.ts"
import { follow } from "./send-stream.ts"

/** The daemon's own process answers these. */
export type Own = {
  status(): Answer<"status">
  /** Asks the daemon to end. @returns whether it does. */
  down(given: Given<"down">): boolean
}

/** The same, and what only the server can answer. */
type OwnAnswers = Own & { loginLink(given: Given<"loginLink">): Answer<"loginLink"> }

type Served = {
  readonly fleet: Fleet
  readonly operations: Pick<Operations, "answer" | "carryOut">
  readonly own: OwnAnswers
}
type ByRef = { Params: { ref?: string } }
type Request = FastifyRequest<ByRef>

export function addRoutes(server: FastifyInstance, { fleet, operations, own }: Served): void {
  server.get("/openapi.json", () => describeApi(own.status().version))
  add("status", () => own.status())
  add("down", (request, reply) => {
    const ending = own.down(givenTo("down", request) as Given<"down">)
    return reply.status(202).send({ ending })
  })
  add("loginLink", (request) => own.loginLink(givenTo("loginLink", request) as Given<"loginLink">))
  add("operation", ({ params }, reply) => operations.answer(params.ref ?? "", reply))
  const handlers = handlersOf(fleet.features)
  for (const name of keysOf(handlers)) {
    const handle = handlers[name] as (request: object) => unknown
    add(name, (request, reply) =>
      operations.carryOut(request, reply, async () => {
        const key = keyOf(request)
        return handle({ fleet, ref: request.params.ref ?? "", given: givenTo(name, request), key })
      }),
    )
  }
  for (const name of keysOf(SOURCES)) addFollowed(server, fleet, name)

  function add(name: RouteName, handler: (request: Request, reply: FastifyReply) => unknown): void {
    const [method, url] = ROUTES[name].at.split(" ") as [string, string]
    const config = { isForReaders: isForReaders(name) }
    server.route<ByRef>({ method, url, config, handler: async (...asked) => handler(...asked) })
  }
}

/** Every route has one handler. */
export function handlersOf(features: readonly Feature[]): Handlers {
  const all = [HANDLERS, ...features.map(({ routes = {} }) => routes)]
  const names = all.flatMap((handlers) => Object.keys(handlers))
  assert(new Set(names).size === names.length, "a route has one handler")
  return Object.assign({}, ...all) as Handlers
}

/**
 * A WebSocket cannot say why it was refused, so everything is checked before the upgrade. The same path
 * without an upgrade answers with the reason.
 */
function addFollowed(server: FastifyInstance, fleet: Fleet, name: FollowedName): void {
  const sourceOf = (request: Request) => {
    const given = givenTo(name, request) as Given<FollowedName>
    return {
      after: given.after,
      beats: given.beats,
      ...SOURCES[name](fleet, request.params.ref ?? "", given),
    }
  }
  const preValidation = async (request: Request) => {
    sourceOf(request)
    if (!request.ws)
      throw new DaemonError("request.upgrade_required", "This is followed over a WebSocket.")
  }
  const [, url] = ROUTES[name].at.split(" ") as [string, string]
  const config = { isForReaders: isForReaders(name) }
  server.get<ByRef>(url, { websocket: true, preValidation, config }, (socket, request) =>
    follow(fleet.db, socket, { wire: request.raw.socket, ...sourceOf(request) }),
  )
}

/** Other homes are not theirs, and they start neither an operation nor a shell. */
const isForReaders = (name: RouteName): boolean =>
  ROUTES[name].at.startsWith("GET ") && !["homes", "operation", "terminal"].includes(name)

/** The query or body of a request to the route. @throws {DaemonError} `request.invalid` (user). */
function givenTo(name: RouteName, { method, query, body }: Request): unknown {
  const { takes = "Nothing" }: Route = ROUTES[name]
  return parse<unknown>(SCHEMAS[takes], method === "GET" ? query : (body ?? {}))
}

/** @throws {DaemonError} `request.invalid` (user). */
export function parse<Given>(schema: z.ZodType<Given>, given: unknown): Given {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  )
  throw new DaemonError("request.invalid", `The request is not valid: ${problems.join("; ")}.`)
}

function keyOf({ headers }: Request): string | undefined {
  const key = headers["idempotency-key"]
  return typeof key === "string" && key !== "" ? key : undefined
}

const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table)[]
