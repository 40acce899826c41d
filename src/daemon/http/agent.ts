/**
 * Routes of agents: what the agent of a running job may ask for, of its own task alone. Each verb is
 * a route of its own, and a tool of the MCP server at `/agent/mcp`.
 *
 * The daemon's own token does not count here, nor an agent's elsewhere.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { findTaskOfJob } from "../../store/jobs/find-task.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { VERBS } from "../verbs/verbs.ts"
import { parse } from "./parse.ts"

/** What all of these routes begin with. */
export const AGENT_PATH = "/agent/"

export function agentRoutes(
  server: FastifyInstance,
  fleet: Fleet,
  onBug: (error: unknown) => void,
): void {
  for (const verb of VERBS)
    server.post(`${AGENT_PATH}${verb.name}`, async (request, reply) => {
      const task = findOwnTask(fleet, request)
      const input = parse(verb.input, "request", request.body ?? {})
      return await verb.run({ fleet, task, input, signal: untilGone(reply) })
    })
  server.post(`${AGENT_PATH}mcp`, async (request, reply) => {
    const task = findOwnTask(fleet, request)
    const signal = untilGone(reply)
    const { answerMcp } = await import("./mcp.ts")
    reply.hijack()
    if (!signal.aborted) await answerMcp({ fleet, task, request, reply, signal, onBug })
  })
  // Stateless: there is nothing to listen to and nothing to end.
  server.route({
    method: ["GET", "DELETE"],
    url: `${AGENT_PATH}mcp`,
    handler: async (_request, reply) => reply.status(405).header("allow", "POST").send(),
  })
}

export const tokenOf = ({ authorization = "" }: FastifyRequest["headers"]): string =>
  authorization.replace(/^Bearer /, "")

/** Aborts when whoever asked has hung up. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once("close", () => gone.abort())
  if (raw.destroyed) gone.abort()
  return gone.signal
}

/** @throws {DaemonError} `request.unauthorized` (user), also when the job has ended. */
function findOwnTask({ agents, db }: Fleet, { headers }: FastifyRequest): Task {
  const job = agents.jobOf(tokenOf(headers))
  const task = job === undefined ? undefined : findTaskOfJob(db, job)
  if (task) return task
  throw new DaemonError("request.unauthorized", "This is for the agent of a job that runs.")
}
