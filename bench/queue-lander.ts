/** Lands a queue of branches with the landing loop as the daemon runs it, when its parent says so. */
import type { LandingId } from "../src/base/ids.ts"
import { landingLoop } from "../src/kernel/landing/loop.ts"
import { findLanding } from "../src/kernel/landing/rows/find.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { onCommit } from "../src/kernel/store/sql.ts"
import { landingContext } from "./landing-context.ts"
import { addQueuedWork, type Work } from "./task-rows.ts"

const db = openDb(process.argv[2]!)
const context = landingContext(db)
const ENDED: readonly unknown[] = ["landed", "failed", "waiting"]

process.on("message", async (works: readonly Work[]) => {
  db.exec("delete from tasks")
  const ids = works.map((work) => addQueuedWork(db, work))
  const landings = landingLoop(context, (_, error) => {
    throw error
  })
  const startMs = performance.now()
  landings.start()
  await untilEnded(ids)
  const timeMs = performance.now() - startMs
  await landings.stop()
  const states = new Set(ids.map((id) => findLanding(db, id)?.state))
  process.send?.({ timeMs, state: [...states].join(" ") })
})

/** @returns when the last has landed, its clean-up included. */
function untilEnded(ids: readonly LandingId[]): Promise<void> {
  const left = new Set(ids)
  return new Promise((resolve) => {
    const stop = onCommit(db, (events) => {
      // Only those that moved: to read all of them each time would count as ours.
      for (const { data } of events) {
        const id = data["landing"] as LandingId
        if (left.has(id) && ENDED.includes(findLanding(db, id)?.state)) left.delete(id)
      }
      if (left.size > 0) return
      stop()
      resolve()
    })
  })
}
