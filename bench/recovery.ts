/** What it costs to go on after `kill -9` in the middle of a landing, against starting Node at all. */
import { execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Figure, Place, Samples } from "./figure.ts"
import { Landings } from "./landings.ts"
import { timeRounds, WARM_UPS } from "./rounds.ts"

const PROGRAM = join(import.meta.dirname, "recovery-lander.ts")
const FILES = 2_000
/** One after the other: before anything has moved, with files half moved, and with all but the record. */
const POINTS = ["advance: ref locked", "advance: files moved", "advance: ref moved"]
const ROUNDS = 15

export const recovery: Figure = {
  name: "recovery",
  subject: `from start until nothing is half moved, after kill -9 while a target and its checkout advance, less the same with nothing to recover; ${FILES} files`,
  baseline: "node -e 0",
  unit: "ms",
  ratioMax: 2,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const landings = new Landings(place, { files: FILES, count: ROUNDS + WARM_UPS })
  const path = join(place.disk, "coppice.db")
  return await timeRounds({
    rounds: ROUNDS,
    signal: place.signal,
    prepare: () => landings.reset({ isCheckedOut: true }),
    baseline: () => void execFileSync(process.execPath, ["-e", "0"]),
    subject: async (round) => {
      const quietMs = await startUntilConsistent(path)
      landings.queue(path, `ours-${round}`)
      await startAndDie(path, POINTS[round % POINTS.length]!)
      return (await startUntilConsistent(path)) - quietMs
    },
  })
}

async function startUntilConsistent(path: string): Promise<number> {
  const startMs = performance.now()
  const child = fork(PROGRAM, [path])
  const exited = once(child, "exit")
  const told = await Promise.race([once(child, "message"), exited.then(() => undefined)])
  const timeMs = performance.now() - startMs
  if (!told) throw new Error("the program has ended before things were consistent")
  child.disconnect()
  await exited
  return timeMs
}

async function startAndDie(path: string, point: string): Promise<void> {
  const child = fork(PROGRAM, [path, point])
  const [, signal] = await once(child, "exit")
  if (signal !== "SIGKILL") throw new Error(`the program did not pass "${point}"`)
}
