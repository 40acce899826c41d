/** Routes of events and logs: pages, and live followers that miss nothing. */
import type { FastifyInstance, FastifyRequest } from "fastify"
import { z } from "zod"
import type { TaskId } from "../../core/ids.ts"
import { listEvents } from "../../store/events.ts"
import { listGits } from "../../store/log/gits.ts"
import { listLog } from "../../store/log/list.ts"
import { findForgottenEvents, findForgottenLog } from "../../store/retention/forgotten.ts"
import { findTaskByRef } from "../actions/find-task.ts"
import { eventDocument, logLineDocument } from "../documents.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { follow } from "./follow.ts"
import { eventGapDocuments, logGapDocuments } from "./gap.ts"
import { parse } from "./parse.ts"

/** One page; a follower reads page by page until it has caught up. */
const PAGE_MAX = 500

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  task: z.coerce.number().int().optional(),
  kind: z.literal("git").optional(),
})

type ByRef = { Params: { ref: string } }
type RequestByRef = FastifyRequest<ByRef>

export function eventRoutes(server: FastifyInstance, fleet: Fleet): void {
  const { db } = fleet
  const readEvents = (after: number, task: TaskId | undefined, limit = PAGE_MAX) =>
    listEvents(db, { after, task, limit }).map(eventDocument)
  const readLog = (after: number, task: TaskId, limit = PAGE_MAX) =>
    listLog(db, { task, after, limit }).map(logLineDocument)
  const eventGap = (after: number, task: TaskId | undefined) =>
    eventGapDocuments(findForgottenEvents(db, { after, task }), after)
  const logGap = (after: number, task: TaskId) =>
    logGapDocuments(findForgottenLog(db, { after, task }), after, task)

  server.get("/events", async (request) => {
    const { after, task, limit } = parseQuery(request)
    const of = task as TaskId | undefined
    return { events: [...eventGap(after, of), ...readEvents(after, of, limit)] }
  })
  server.get<ByRef>("/tasks/:ref/log", async (request) => {
    const { after, limit, kind } = parseQuery(request)
    const { id } = findTaskByRef(fleet, request.params.ref)
    if (kind) return { lines: listGits(db, { task: id, after, limit }).map(logLineDocument) }
    return { lines: [...logGap(after, id), ...readLog(after, id, limit)] }
  })
  server.get("/events/follow", followed(parseQuery), (socket, request) => {
    const { after, task } = parseQuery(request)
    const of = task as TaskId | undefined
    const first = eventGap(after, of)
    const wire = request.raw.socket
    follow(db, socket, { wire, after, first, read: (from) => readEvents(from, of) })
  })
  const parseByRef = (request: RequestByRef) => ({
    ...parseQuery(request),
    id: findTaskByRef(fleet, request.params.ref).id,
  })
  server.get<ByRef>("/tasks/:ref/log/follow", followed(parseByRef), (socket, request) => {
    const { after, id } = parseByRef(request)
    const read = (from: number) => readLog(from, id)
    follow(db, socket, { wire: request.raw.socket, after, first: logGap(after, id), read })
  })
}

/**
 * A route that is followed over a WebSocket. A WebSocket cannot say why it was refused, so
 * everything is checked before the upgrade. The same path without an upgrade answers with the
 * reason.
 */
function followed<Request extends FastifyRequest>(parse: (request: Request) => unknown) {
  const preValidation = async (request: Request) => {
    parse(request)
    if (!request.ws)
      throw new DaemonError("request.upgrade_required", "This is followed over a WebSocket.")
  }
  return { websocket: true, preValidation } as const
}

function parseQuery({ query }: Pick<FastifyRequest, "query">) {
  return parse(Query, "query", query)
}
