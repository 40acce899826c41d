/** The memory of an idle daemon, against an idle Node. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { residentMiB } from "./resident.ts"

const ROUNDS = 3
/** By then the garbage of a task is collected. */
const REST_MS = 5_000
const IDLE_PROGRAM = "setInterval(() => {}, 1e9)"

export const daemonMemory: Figure = {
  name: "memory",
  subject: "the daemon at rest, a few seconds after a task has landed, VmRSS",
  baseline: `node -e '${IDLE_PROGRAM}', VmRSS`,
  unit: "MiB",
  ratioMax: 3,
  measure,
}

async function measure(place: Place): Promise<Samples | NotMeasurable> {
  if (!existsSync("/proc/self/status")) return { notMeasurable: "there is no /proc" }
  const samples = { baseline: [] as number[], subject: [] as number[] }
  await using fleet = new Fleet(place, { files: 10 })
  for (let round = 0; round < ROUNDS; round++) {
    await fleet.coppice("up", "--detach")
    const { pid } = await fleet.client.status()
    const tasks = fleet.tasks()
    await tasks.next()
    await tasks.return()
    const idle = await startIdle()
    await delay(REST_MS, undefined, { signal: place.signal })
    samples.subject.push(residentMiB(pid!))
    samples.baseline.push(residentMiB(idle.pid!))
    idle.kill()
    await once(idle, "exit")
    await fleet.coppice("down")
  }
  return samples
}

async function startIdle(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", IDLE_PROGRAM], { stdio: "ignore" })
  await once(child, "spawn")
  return child
}
