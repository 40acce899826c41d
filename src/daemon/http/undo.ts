/** Routes of undoing: do it, or preview it. */
import type { FastifyInstance } from "fastify"
import { LandingOrder } from "../../core/wire/documents.ts"
import { planUndo, undo } from "../actions/undo.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"
import { parse } from "./parse.ts"

type ByRef = { Params: { ref: string } }

export function undoRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.get<ByRef>("/undo/:ref", async ({ params }) => await planUndo(fleet, params.ref))
  server.post<ByRef>("/undo/:ref", async ({ params, body }) => {
    const order = parse(LandingOrder, "order", body ?? {})
    return currentTaskDocument(fleet, await undo(fleet, params.ref, order))
  })
}
