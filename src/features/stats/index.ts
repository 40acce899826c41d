/** Counts what landed, what waited and why, and what it cost. */

import { localDay } from "../../api/documents/row-documents.ts"
import type { Feature } from "../../api/feature.ts"
import { readStats } from "./rows.ts"

export const stats: Feature = {
  name: "stats",
  routes: {
    stats: ({ fleet, given }) => {
      const sinceMs = given.since === undefined ? undefined : Date.parse(given.since)
      return readStats(fleet.db, { sinceMs, untilMs: fleet.world.nowMs(), dayOf: localDay })
    },
  },
}
