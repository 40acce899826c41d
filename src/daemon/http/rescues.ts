/** Routes of rescues: list, restore. */
import type { FastifyInstance } from "fastify"
import {
  type RescuesDocument,
  type RestoredDocument,
  ToRestore,
} from "../../core/wire/documents.ts"
import { rescueBounds, rescueDocuments, restore } from "../actions/recover.ts"
import type { Fleet } from "../fleet.ts"
import { parse } from "./parse.ts"

export function rescueRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.get("/rescues", async (): Promise<RescuesDocument> => {
    return { rescues: await rescueDocuments(fleet), bounds: rescueBounds(fleet) }
  })
  server.post("/rescues", async ({ body }): Promise<RestoredDocument> => {
    return restore(fleet, parse(ToRestore, "request", body))
  })
}
