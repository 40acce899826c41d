/** Routes of work: land it, or preview that. */
import type { FastifyInstance } from "fastify"
import {
  type LandDocument,
  type LandingPlanDocument,
  WorkToLand,
} from "../../core/wire/documents.ts"
import { findTaskByRef } from "../actions/find-task.ts"
import { landWork } from "../actions/land-work.ts"
import { planWork } from "../actions/plan-work.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"
import { parse } from "./parse.ts"

export function workRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.post("/land", async ({ body }): Promise<LandDocument> => {
    const { id, taken } = await landWork(fleet, parse(WorkToLand, "request", body))
    return { task: await currentTaskDocument(fleet, findTaskByRef(fleet, String(id))), taken }
  })
  server.post("/land/plan", async ({ body }): Promise<LandingPlanDocument> => {
    return await planWork(fleet, parse(WorkToLand, "request", body))
  })
}
