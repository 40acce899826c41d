/** The time from a due tick of a schedule until its agent has started, among many schedules. */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Figure, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"

const SCHEDULES = 200
const ROUNDS = 5
const INTERVAL_S = 4
const LOOK_MS = 100

export const dueTick: Figure = {
  name: "due-tick",
  subject: `a due tick until its agent has started, ${SCHEDULES} schedules`,
  baseline: "the tick itself, at 0 ms",
  unit: "ms",
  addedMax: 1_000,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const started = join(place.folder, "started")
  mkdirSync(started)
  await using fleet = new Fleet(place, { files: 10, config: configOf(started) })
  await fleet.coppice("up", "--detach")
  const { schedules } = await fleet.client.status()
  const firstMs = Date.parse(schedules?.find(({ name }) => name === "often")?.nextAt ?? "")
  const samples = { baseline: [] as number[], subject: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const file = join(started, String(round + 1)) // task 1 is of the first tick
    while (!existsSync(file)) await delay(LOOK_MS, undefined, { signal: place.signal })
    samples.subject.push(statSync(file).mtimeMs - (firstMs + round * INTERVAL_S * 1000))
    samples.baseline.push(0)
  }
  return samples
}

function configOf(started: string): string {
  const often = { interval: `${INTERVAL_S}s`, prompt: "note the time", overlap: true }
  const others = Array.from({ length: SCHEDULES - 1 }, (_, n) => [
    `rare-${n}`,
    { cron: `${n % 60} 3 1 * *`, timezone: "Europe/Berlin", hours: "01:00-05:00", prompt: "rest" },
  ])
  const schedules = { often, ...Object.fromEntries(others) }
  const command = `touch ${JSON.stringify(started)}/$COPPICE_TASK`
  const sh = { runtime: "command", command, schedules }
  return JSON.stringify({ version: 1, agents: { sh }, limits: { concurrent: 8 } })
}
