/**
 * Routes of agents: what the agent of a running job may ask for, of its own task alone.
 *
 * Agents report and do not decide (law 9): nothing here lands, moves a target, removes a worktree
 * or sets a task's state. The daemon's own token does not count here, nor an agent's elsewhere.
 */
import type { FastifyInstance, FastifyRequest } from "fastify"
import { z } from "zod"
import type { RebasedDocument } from "../../core/documents.ts"
import { findTaskOfJob } from "../../store/jobs/find-task.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { parse } from "./parse.ts"

/** What all of these routes begin with. */
export const AGENT_PATH = "/agent/"

const ToRebase = z.strictObject({ repo: z.string().optional() })

export function agentRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.post(`${AGENT_PATH}rebase_to_main`, async (request): Promise<RebasedDocument> => {
    const task = findOwnTask(fleet, request)
    const { repo: name = task.repos[0]?.name } = parse(ToRebase, "request", request.body)
    const repo = task.repos.find((one) => one.name === name)
    if (!repo) throw new DaemonError("repo.unknown", `Your task has no repository ${name}.`)
    return fleet.rebaseToMain(task, repo)
  })
}

export const tokenOf = ({ authorization = "" }: FastifyRequest["headers"]): string =>
  authorization.replace(/^Bearer /, "")

/** @throws {DaemonError} `request.unauthorized` (user), also when the job has ended. */
function findOwnTask({ agents, db }: Fleet, { headers }: FastifyRequest): Task {
  const job = agents.jobOf(tokenOf(headers))
  const task = job === undefined ? undefined : findTaskOfJob(db, job)
  if (task) return task
  throw new DaemonError("request.unauthorized", "This is for the agent of a job that runs.")
}
