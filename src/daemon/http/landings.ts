/** Routes of landings. */
import type { FastifyInstance } from "fastify"
import { LandingOrder } from "../../core/wire/documents.ts"
import { undo } from "../actions/undo.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"
import { parse } from "./parse.ts"

export function landingRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.post<{ Params: { ref: string } }>("/landings/:ref/undo", async ({ params, body }) => {
    const order = parse(LandingOrder, "order", body ?? {})
    return currentTaskDocument(fleet, await undo(fleet, params.ref, order))
  })
}
