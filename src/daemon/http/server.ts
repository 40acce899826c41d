/** The daemon's HTTP server: loopback only, a token on everything, errors as documents. */
import { timingSafeEqual } from "node:crypto"
import websocket from "@fastify/websocket"
import { type FastifyError, type FastifyInstance, fastify } from "fastify"
import { AppError, type Blame, toErrorDocument } from "../../core/errors.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { eventRoutes } from "./events.ts"
import { taskRoutes } from "./tasks.ts"

const STATUS: Readonly<Record<Blame, number>> = { user: 400, world: 503, bug: 500 }
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  "task.not_found": 404,
  "task.refused": 409,
  "work_item.active": 409,
  "request.unauthorized": 401,
}
/** A prompt may hold a long document; more than this is not a prompt. */
const BODY_BYTES_MAX = 8 * 1024 * 1024

export type Served = {
  readonly fleet: Fleet
  readonly token: string
  status(): object
  /** Asks the daemon to end. */
  down(): void
  onBug(error: unknown): void
}

/** @returns the server, listening nowhere yet. */
export async function createServer({ fleet, token, ...served }: Served): Promise<FastifyInstance> {
  const server = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: true })
  await server.register(websocket)
  server.addHook("onRequest", async (request) => {
    if (!isBearer(request.headers.authorization, token))
      throw new DaemonError("request.unauthorized", "The token is missing or wrong.")
  })
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    const known = error instanceof AppError ? error : asRequestError(error)
    if (!(known instanceof AppError) || known.blame === "bug") served.onBug(error)
    const document = toErrorDocument(known)
    const { code, blame } = document.error
    return reply.status(STATUS_BY_CODE[code] ?? STATUS[blame]).send(document)
  })
  server.setNotFoundHandler((request) => {
    throw new DaemonError("request.invalid", `There is no ${request.method} ${request.url}.`)
  })
  server.get("/status", async () => served.status())
  server.post("/down", async (_request, reply) => {
    served.down()
    return reply.status(202).send({})
  })
  taskRoutes(server, fleet)
  eventRoutes(server, fleet)
  return server
}

/** What Fastify itself refuses (broken JSON, a body too large) is the caller's mistake. */
function asRequestError(error: FastifyError): unknown {
  const isRefusal = error.statusCode !== undefined && error.statusCode < 500
  return isRefusal ? new DaemonError("request.invalid", error.message) : error
}

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "")
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
