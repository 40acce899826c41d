/** Counts the events of a period, page by page, so that other work runs in between. */
import { setImmediate } from "node:timers/promises"
import { listEventsOf } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { type Period, STATS_TYPES, Stats } from "./rules.ts"
import type { StatsDocument } from "./wire.ts"

const PAGE = 500

/** @param period `sinceMs` undefined: since the oldest event that is kept. */
export async function readStats(
  db: Db,
  period: Omit<Period, "sinceMs"> & { readonly sinceMs: number | undefined },
): Promise<StatsDocument> {
  let after = 0
  let stats: Stats | undefined
  for (;;) {
    const page = listEventsOf(db, STATS_TYPES, { after, limit: PAGE })
    const sinceMs = period.sinceMs ?? page[0]?.atMs ?? period.untilMs
    stats ??= new Stats({ ...period, sinceMs })
    for (const event of page) stats.add(event)
    const last = page.at(-1)
    if (!last) return stats.document()
    after = last.seq
    await setImmediate()
  }
}
