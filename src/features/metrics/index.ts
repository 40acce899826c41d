/** Counts for a Prometheus of the same user. */
import type { Feature } from "../../api/feature.ts"
import { DaemonMetrics, writeMetricsTarget } from "./metrics.ts"
import { metricsRoute } from "./route.ts"

export const metrics: Feature = {
  name: "metrics",
  serve: (server, { fleet, isLasting }) => {
    if (isLasting) metricsRoute(server, new DaemonMetrics(fleet.db, fleet.stateDir))
  },
  publish: ({ stateDir, ...at }) => writeMetricsTarget(stateDir, at),
}
