/** Serves the metrics in the format of Prometheus, which no client of ours reads. */
import type { FastifyInstance } from "fastify"

const TYPE = "text/plain; version=0.0.4; charset=utf-8"

type Scraped = {
  /** Opens the metrics alone. */
  readonly token: string
  text(): string
}

export function metricsRoute(server: FastifyInstance, metrics: Scraped): void {
  const config = { ownToken: metrics.token }
  server.get("/metrics", { config }, (_request, reply) => reply.type(TYPE).send(metrics.text()))
}
