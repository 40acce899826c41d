/** The daemon's metrics, as a Prometheus of the same user reads them. */
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
