/** How much longer a daemon takes to be ready when it has unfinished tasks. */
import { join } from "node:path"
import { stateDir } from "../src/api/client/state-dir.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { transaction } from "../src/kernel/store/sql.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { timeRounds } from "./rounds.ts"
import { addWorkingTask } from "./task-rows.ts"

const TASKS = 1_000
const ROUNDS = 5
const CONFIG = `version: 1
limits: { concurrent: 1 }
agents:
  sh: { runtime: command, command: exec sleep 3600 }
`

export const restart: Figure = {
  name: "restart",
  subject: `coppice up -d until the daemon is ready, ${TASKS} unfinished tasks in the store`,
  baseline: "the same with none",
  unit: "ms",
  addedMax: 1_000,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const { launcher, signal } = place
  await using empty = new Fleet({ launcher, folder: join(place.folder, "a") }, { files: 10 })
  const busy = { launcher, folder: join(place.folder, "b") }
  await using full = new Fleet(busy, { files: 10, config: CONFIG })
  const db = openDb(join(stateDir(full.repo, full.home.env()), "coppice.db"))
  transaction(db, () => {
    for (let n = 0; n < TASKS; n++) addWorkingTask(db, full.repo)
  })
  db.close()
  return await timeRounds({
    rounds: ROUNDS,
    signal,
    baseline: () => start(empty),
    subject: () => start(full),
  })
}

async function start(fleet: Fleet): Promise<number> {
  const startMs = performance.now()
  await fleet.coppice("up", "--detach")
  const tookMs = performance.now() - startMs
  await fleet.coppice("down")
  return tookMs
}
