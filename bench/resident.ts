/** How much memory a process holds now. */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** VmRSS, in MiB; needs /proc. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Buffers and sockets go in a later turn of the event loop than the objects that held them. */
const COLLECTIONS = 4
const TURN_MS = 50

/** All that this process still uses: its heap and its buffers, in MiB. */
export async function heapMiB(): Promise<number> {
  for (let n = 0; n < COLLECTIONS; n++) {
    collect()
    await sleep(TURN_MS)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}
