/** Routes of cleaning up: preview it, and do it. */
import type { FastifyInstance } from "fastify"
import type { GcDocument } from "../../core/wire/gc.ts"
import type { Fleet } from "../fleet.ts"

export function maintenanceRoutes(server: FastifyInstance, { maintenance }: Fleet): void {
  server.get("/gc", (): Promise<GcDocument> => maintenance.plan())
  server.post("/gc", (): Promise<GcDocument> => maintenance.collect())
}
