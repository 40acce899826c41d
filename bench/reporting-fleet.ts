/**
 * A fleet at work: each of 200 agents reports progress every 100 ms for 30 s over one connection,
 * while a client follows the events.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { findDaemon } from "../src/api/client/daemon-address.ts"
import { stateDir } from "../src/api/client/state-dir.ts"
import type { JobId } from "../src/base/ids.ts"
import type { Place } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { Reporter } from "./reporter.ts"
import { residentMiB } from "./resident.ts"

export const TASKS = 200
export const EVERY_MS = 100
export const FOR_MS = 30_000
const REST_MS = 5_000
const CONFIG = `version: 1
limits: { concurrent: ${TASKS} }
agents:
  sh: { runtime: command, command: exec sleep 3600 }
`

export type Load = {
  /** Memory of the daemon, idle before and at the end. */
  readonly restMiB: number
  readonly busyMiB: number
  /** From an agent's report to a follower's event, in ms. */
  readonly latenciesMs: readonly number[]
  /** Of one task alone that reports. */
  readonly aloneMs: readonly number[]
  /** How late the daemon's event loop was, in ms, at the 99th percentile. */
  readonly loopMs: number
}

let taken: Promise<Load> | undefined

/** Taken once: several figures look at it. */
export function loadOnce(place: Place): Promise<Load> {
  taken ??= load(place)
  return taken
}

async function load({ folder, launcher, signal }: Place): Promise<Load> {
  await using fleet = new Fleet({ folder, launcher }, { files: 10, config: CONFIG })
  const note = join(folder, "loop-delay")
  fleet.extra["NODE_OPTIONS"] = `--import=${join(import.meta.dirname, "loop-delay.mjs")}`
  fleet.extra["BENCH_LOOP_DELAY"] = note
  await fleet.coppice("up", "--detach")
  const daemon = findDaemon(stateDir(fleet.repo, fleet.home.env()))!
  await delay(REST_MS, undefined, { signal })
  const restMiB = residentMiB(daemon.pid)
  const { client } = fleet
  for (let n = 0; n < TASKS; n++) await client.create({ prompt: "wait", agent: "sh" })
  while (((await client.status()).tasks["working"] ?? 0) < TASKS)
    await delay(200, undefined, { signal })
  const jobs = (await client.list()).tasks.map(({ jobs }) => jobs[0]!.id)
  await begun(fleet, jobs.length)
  const reporters: Reporter[] = []
  for (const job of jobs) reporters.push(await Reporter.connect(daemon, Number(job) as JobId))

  const latenciesMs: number[] = []
  const following = new AbortController()
  const followed = follow(fleet, latenciesMs, following.signal)
  await report(reporters.slice(0, 1), FOR_MS / 10, signal)
  const aloneMs = latenciesMs.splice(0)
  process.kill(daemon.pid, "SIGUSR2")
  await report(reporters, FOR_MS, signal)
  await delay(1_000, undefined, { signal })
  const { p99Ms: loopMs } = JSON.parse(readFileSync(`${note}.${daemon.pid}`, "utf8"))
  const busyMiB = residentMiB(daemon.pid)
  following.abort()
  await followed
  for (const reporter of reporters) reporter.end()
  return { restMiB, busyMiB, latenciesMs, aloneMs, loopMs }
}

/** Every agent has been started. */
async function begun({ client }: Fleet, count: number): Promise<void> {
  let left = count
  for await (const { type } of client.followEvents())
    if (type === "turn.began" && --left === 0) return
}

async function follow({ client }: Fleet, latenciesMs: number[], signal: AbortSignal) {
  const { events } = await client.events({ after: Number.MAX_SAFE_INTEGER })
  for await (const { type, data } of client.followEvents({
    after: events.at(-1)?.seq ?? 0,
    signal,
  }))
    if (type === "task.progress") latenciesMs.push(performance.now() - Number(data["text"]))
}

async function report(reporters: readonly Reporter[], forMs: number, signal: AbortSignal) {
  const endMs = performance.now() + forMs
  const loops = reporters.map(async (reporter, at) => {
    await delay((at * EVERY_MS) / reporters.length, undefined, { signal })
    while (performance.now() < endMs && !signal.aborted) {
      const next = delay(EVERY_MS)
      await reporter.say(String(performance.now()))
      await next
    }
  })
  await Promise.all(loops)
}
