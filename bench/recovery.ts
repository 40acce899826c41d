/**
 * The cost of continuing after `kill -9` in the middle of a landing, against starting Node at all.
 *
 * It is the difference of two starts. So each with something to recover lies between two with nothing,
 * and the program tells the time from its first own line on: until there both load the same code. That
 * is bundled, and what was compiled of it kept, as of the program that is shipped.
 */
import { execFileSync, fork } from "node:child_process"
import { on, once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { writeBundle } from "../scripts/bundle.ts"
import { type Figure, median, type Place, type Samples } from "./figure.ts"
import { Landings } from "./landings.ts"
import { timeRounds, WARM_UPS } from "./rounds.ts"

const SOURCE = "bench/recovery-lander.ts"
/** As deep as the chunks of a bundle: from there its modules find the files that they read. */
const LANDER = "shared/code/recovery-lander"
const ROOT = resolve(import.meta.dirname, "..")
const FILES = 2_000
/** Before anything has moved, with the files moved, and with all but the record. */
const POINTS = ["advance: ref locked", "advance: files moved", "advance: ref moved"]
/** At each point. */
const ROUNDS = 11

export const recovery: Figure = {
  name: "recovery",
  subject: `from start until nothing is half moved, after kill -9 while a target and its checkout advance, less the same with nothing to recover; ${FILES} files; at the point where it takes longest`,
  baseline: "node -e 0",
  unit: "ms",
  ratioMax: 2,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const rounds = ROUNDS + WARM_UPS
  const landings = new Landings(place, { files: FILES, count: POINTS.length * rounds })
  const program = await build(place)
  const atPoints: Samples[] = []
  for (const [n, point] of POINTS.entries()) {
    const samples = await timeRounds({
      rounds: ROUNDS,
      signal: place.signal,
      prepare: () => landings.reset({ isCheckedOut: true }),
      baseline: () => void execFileSync(process.execPath, ["-e", "0"]),
      subject: async (round) => {
        const beforeMs = await program.startUntilConsistent()
        landings.queue(program.database, `ours-${n * rounds + round}`)
        await program.startAndDie(point)
        const recoveringMs = await program.startUntilConsistent()
        return recoveringMs - (beforeMs + (await program.startUntilConsistent())) / 2
      },
    })
    atPoints.push(samples)
  }
  const [longest] = atPoints.sort((a, b) => median(b.subject) - median(a.subject))
  return longest!
}

async function build({ disk }: Place): Promise<Program> {
  const folder = join(disk, "program")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n')
  await writeBundle(folder, { [LANDER]: join(ROOT, SOURCE) })
  return new Program(join(folder, `${LANDER}.js`), join(disk, "coppice.db"), join(disk, "compiled"))
}

class Program {
  readonly database: string
  readonly #file: string
  readonly #env: NodeJS.ProcessEnv

  constructor(file: string, database: string, compiled: string) {
    this.#file = file
    this.database = database
    this.#env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  }

  /** @returns ms since its own first line. @throws where what it then has to do does not end well. */
  async startUntilConsistent(): Promise<number> {
    const child = this.#start()
    const exited = once(child, "exit")
    const told: unknown[] = []
    for await (const [message] of on(child, "message", { close: ["exit"] })) {
      told.push(message)
      if (told.length === 2) child.disconnect()
    }
    await exited
    const [timeMs, outcomes] = told as [number?, (readonly string[])?]
    if (timeMs === undefined || !outcomes?.every((outcome) => outcome === "LANDED"))
      throw new Error(`the program has ended after it said ${JSON.stringify(told)}`)
    return timeMs
  }

  async startAndDie(point: string): Promise<void> {
    const [, signal] = await once(this.#start(point), "exit")
    if (signal !== "SIGKILL") throw new Error(`the program did not pass "${point}"`)
  }

  #start(...more: readonly string[]) {
    return fork(this.#file, [this.database, ...more], { env: this.#env })
  }
}
