/** Routes of landings. */
import type { FastifyInstance } from "fastify"
import { undo } from "../actions/undo.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"

export function landingRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.post<{ Params: { ref: string } }>("/landings/:ref/undo", async ({ params }) =>
    currentTaskDocument(fleet, await undo(fleet, params.ref)),
  )
}
