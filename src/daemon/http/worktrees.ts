/** Routes of worktrees, for people and tools that drive them in their own workflows. */
import type { FastifyInstance } from "fastify"
import {
  type AddedWorktreeDocument,
  NewWorktree,
  type RemovedWorktreesDocument,
  type WorktreesDocument,
} from "../../core/wire/worktrees.ts"
import { addWorktree } from "../actions/add-worktree.ts"
import { findTaskByRef } from "../actions/find-task.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"
import { parse } from "./parse.ts"

type ByRef = { Params: { ref: string } }

export function worktreeRoutes(server: FastifyInstance, fleet: Fleet): void {
  const { maintenance } = fleet
  server.get("/worktrees", (): Promise<WorktreesDocument> => maintenance.worktrees())
  server.post("/worktrees", async ({ body }): Promise<AddedWorktreeDocument> => {
    const { task, created } = await addWorktree(fleet, parse(NewWorktree, "worktree", body))
    return { task: await currentTaskDocument(fleet, task), created }
  })
  server.post("/worktrees/prune", async (): Promise<RemovedWorktreesDocument> => {
    return { items: await maintenance.prune() }
  })
  server.post<ByRef>(
    "/worktrees/:ref/remove",
    async ({ params }): Promise<RemovedWorktreesDocument> => {
      return { items: await maintenance.remove(findTaskByRef(fleet, params.ref)) }
    },
  )
}
