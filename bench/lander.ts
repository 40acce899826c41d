/**
 * Lands one task after another with the landing loop's own steps, when its parent says so: from the
 * claim to where the target has moved, or to the verdict that it cannot.
 *
 * A process of its own, with a heap like the daemon's: what starting git costs depends on it.
 */

import { findLanding } from "../src/kernel/landing/rows/find.ts"
import { tickLanding } from "../src/kernel/landing/tick.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { landingContext } from "./landing-context.ts"
import { addClaimedLanding, type Work } from "./task-rows.ts"

const db = openDb(process.argv[2]!)
const context = landingContext(db)
/** Published, or in conflict. */
const ENDS: readonly unknown[] = ["cleaning", "handed_back"]

process.on("message", async (work: Work) => {
  db.exec("delete from tasks") // the one before would be ahead in the queue
  const id = addClaimedLanding(db, work)
  const startMs = performance.now()
  while (!ENDS.includes(findLanding(db, id)?.state)) {
    const moved = await tickLanding(context, id, new AbortController().signal)
    if (!moved) throw new Error(`the landing rests in ${findLanding(db, id)?.state}`)
  }
  const timeMs = performance.now() - startMs
  process.send?.({ timeMs, state: findLanding(db, id)?.state })
})
