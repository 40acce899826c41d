/** Serves the metrics in the format of Prometheus, which no client of ours reads. */
import { timingSafeEqual } from "node:crypto"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { tokenOf } from "../../api/server/agent.ts"

const PATH = "/metrics"
const TYPE = "text/plain; version=0.0.4; charset=utf-8"

export type Scraped = {
  /** Opens the metrics alone. */
  readonly token: string
  text(): string
}

export function metricsRoute(server: FastifyInstance, metrics: Scraped): void {
  server.get(PATH, (_request, reply) => reply.type(TYPE).send(metrics.text()))
}

/** Whether the request is for the metrics, and has their token. */
export const isScrape = (
  { headers, routeOptions }: FastifyRequest,
  metrics: Scraped | undefined,
): boolean =>
  metrics !== undefined &&
  routeOptions?.url === PATH &&
  isSameToken(tokenOf(headers), metrics.token)

export function isSameToken(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
