/**
 * The routes that the agent of a running job uses for its own task. Each verb is a separate route,
 * and a tool of the MCP server at `/agent/mcp`.
 *
 * The daemon's token is not valid here, and an agent's token is valid only here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { assert } from "../../base/assert.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findTaskOfJob } from "../../kernel/tasks/rows/jobs/find.ts"
import type { Fleet } from "../fleet.ts"
import type { VerbRequest } from "../verb.ts"
import { parse } from "./routes.ts"
import { inputOf, VERB_NAMES, verbRunner } from "./run-verb.ts"
import { tokenOf } from "./token.ts"

/** The prefix of all these routes. */
export const AGENT_PATH = "/agent/"

export function agentRoutes(
  server: FastifyInstance,
  fleet: Fleet,
  onBug: (error: unknown) => void,
): void {
  const runVerb = verbRunner(fleet.features)
  for (const name of VERB_NAMES)
    server.post(`${AGENT_PATH}${name}`, async (request, reply) => {
      const caller = authenticate(fleet, request, reply)
      const input = parse<unknown>(inputOf(name), request.body ?? {})
      return await runVerb(name, { ...caller, input })
    })
  server.post(`${AGENT_PATH}mcp`, async (request, reply) => {
    const caller = authenticate(fleet, request, reply)
    const gone = caller.untilGone()
    const { answerMcp } = await import("./mcp.ts")
    reply.hijack()
    if (gone.aborted) return
    await answerMcp({ ...caller, runVerb, untilGone: () => gone, request, reply, onBug })
  })
  // Stateless: there is nothing to follow and nothing to close.
  server.route({
    method: ["GET", "DELETE"],
    url: `${AGENT_PATH}mcp`,
    handler: async (_request, reply) => reply.status(405).header("allow", "POST").send(),
  })
}

/** Aborts when the client hangs up. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once("close", () => gone.abort())
  if (raw.destroyed) gone.abort()
  return gone.signal
}

/** @throws {DaemonError} `request.unauthorized` (user), also when the job has ended. */
function authenticate(
  fleet: Fleet,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Omit<VerbRequest, "input"> {
  const { agents, db } = fleet
  const job = agents.jobOf(tokenOf(headers))
  const id = job === undefined ? undefined : findTaskOfJob(db, job)
  if (id === undefined)
    throw new DaemonError("request.unauthorized", "This is only for the agent of a running job.")
  const readTask = () => {
    const task = findTask(db, id)
    assert(task, "the task of a running job exists")
    return task
  }
  return { fleet, id, readTask, untilGone: () => untilGone(reply) }
}
