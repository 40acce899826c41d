/** The time of a command: `coppice ls` of the packed build, against starting Node at all. */
import { execFileSync } from "node:child_process"
import { databasePath, stateDir } from "../src/api/client/state-dir.ts"
import type { Oid } from "../src/base/ids.ts"
import { openDb } from "../src/kernel/store/open.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { timeRounds } from "./rounds.ts"
import { addLandedTasks } from "./task-rows.ts"

const TASKS = 1_000
const ROUNDS = 15

export const listTasks: Figure = {
  name: "ls",
  subject: `coppice ls of ${TASKS} tasks, daemon running`,
  baseline: "node -e 0",
  unit: "ms",
  ratioMax: 2.5,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  await using fleet = new Fleet(place, { files: 10 })
  const db = openDb(databasePath(stateDir(fleet.repo, fleet.home.env())))
  addLandedTasks(db, fleet.repo, fleet.git("rev-parse", "HEAD") as Oid, TASKS)
  db.close()
  await fleet.coppice("up", "--detach")
  const env = fleet.home.env()
  const run = (...args: string[]) => {
    execFileSync(process.execPath, args, { cwd: fleet.repo, env, stdio: ["ignore", "ignore", 2] })
  }
  return await timeRounds({
    rounds: ROUNDS,
    signal: place.signal,
    baseline: () => run("-e", "0"),
    subject: () => run(place.launcher, "ls"),
  })
}
