/**
 * A program that lands what is in its store, as a daemon does at its start; or is killed while it
 * does: `recovery-lander.ts <database> [<point>]`. Says so when nothing is left half done.
 */
import { endLeftProcesses } from "../src/daemon/recover.ts"
import { landingLoop } from "../src/landing/loop.ts"
import { listRunnable } from "../src/store/landings/list.ts"
import { openDb } from "../src/store/open.ts"
import { landingContext } from "./landing-context.ts"

const [path, killedAt] = process.argv.slice(2)
const db = openDb(path!)
const point = (name: string) => {
  if (name === killedAt) process.kill(process.pid, "SIGKILL")
}
await endLeftProcesses(db)
const landings = landingLoop(landingContext(db, point), (_, error) => {
  throw error
})
/** Nothing is half moved: what is left to do is a landing's usual work. */
const isConsistent = () =>
  listRunnable(db).every((landing) => landing.repos.every(({ intent }) => !intent))
const timer = setInterval(() => {
  if (!isConsistent()) return
  clearInterval(timer)
  process.send?.("consistent")
}, 1)
landings.start()
process.once("disconnect", () => process.exit())
