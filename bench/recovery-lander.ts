/**
 * A program that lands what is in its store, as a daemon does at its start; or is killed while it
 * does: `recovery-lander.ts <database> [<point>]`. Says, as soon as nothing is left half done, how long
 * that took in ms, and then how each landing ended.
 */
import { endLeftProcesses } from "../src/daemon/processes.ts"
import { landingLoop } from "../src/kernel/landing/loop.ts"
import { listRunnable } from "../src/kernel/landing/rows/list.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { landingContext } from "./landing-context.ts"

const startMs = performance.now()
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
const halfMoved = db.prepare("select 1 from landing_repos where intent is not null")
let isSaid = false
const sayWhenConsistent = () => {
  if (isSaid || halfMoved.get()) return
  isSaid = true
  process.send?.(performance.now() - startMs)
}
// At once, as soon as that is committed: what the landing goes on with keeps a timer waiting.
db.function("look", () => queueMicrotask(sayWhenConsistent))
db.exec(
  "create temp trigger mended after update of intent on landing_repos begin select look(); end",
)
landings.start()
setImmediate(sayWhenConsistent) // behind the first look for work

const timer = setInterval(() => {
  if (!isSaid || listRunnable(db).length > 0) return
  clearInterval(timer)
  process.send?.(db.prepare("select outcome from landings").pluck().all())
}, 5)
process.once("disconnect", () => process.exit())
