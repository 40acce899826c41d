/** The processor time of a daemon for one poll of many issues of which none has changed. */
import { readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { GitHubServer } from "../test/support/github-server.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"

const ISSUES = 1_000
const ROUNDS = 3
const POLLS = 15
const REQUESTS_MAX = 2
const INTERVAL_MS = 1_000
const LOOK_MS = 20
/** One tick of Linux's count of processor time. */
const TICK_MS = 10

export const issuePoll: Figure = {
  name: "issue-poll",
  subject: `processor time of the daemon for a poll of ${ISSUES} issues, nothing changed`,
  baseline: "the daemon at rest, for as long",
  unit: "ms",
  addedMax: 20,
  measure,
}

async function measure(place: Place): Promise<Samples | NotMeasurable> {
  if (process.platform !== "linux") return { notMeasurable: "needs /proc" }
  await using server = await GitHubServer.start()
  for (let n = 0; n < ISSUES; n++)
    server.state.issues.open({ author: "stranger", labels: ["coppice"] })
  await using polling = await start({ ...place, folder: `${place.folder}/polling` }, server.url)
  await using resting = await start({ ...place, folder: `${place.folder}/resting` }, undefined)
  const [polled, rested] = [await pidOf(polling), await pidOf(resting)]
  const count = () => server.served.length
  let times: number[] = []
  server.onRequest = () => void times.push(performance.now())
  const untilServed = async (number: number) => {
    while (count() < number) await delay(LOOK_MS, undefined, { signal: place.signal })
  }
  await untilServed(ISSUES / 100 + POLLS) // the first poll reads all pages
  const samples = { baseline: [] as number[], subject: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times = []
    const before = { served: count(), polled: spentMs(polled), rested: spentMs(rested) }
    await untilServed(before.served + POLLS)
    samples.subject.push((spentMs(polled) - before.polled) / POLLS)
    samples.baseline.push((spentMs(rested) - before.rested) / POLLS)
    refuseMore(server.served.slice(before.served), times)
  }
  return samples
}

function refuseMore(served: GitHubServer["served"], times: readonly number[]): void {
  const near = times.map((at) => times.filter((other) => Math.abs(other - at) < INTERVAL_MS / 2))
  const most = Math.max(...near.map(({ length }) => length))
  if (most > REQUESTS_MAX || served.some(({ isConditional }) => !isConditional))
    throw new Error(`a poll takes ${most} requests, or one that is not conditional`)
}

async function start(place: Place, url: string | undefined): Promise<Fleet> {
  const gh = { type: "github", repo: "acme/app", api_url: url, interval: `${INTERVAL_MS / 1000}s` }
  const agents = { sh: { runtime: "command", command: "true" } }
  const variable = { token_variable: "GITHUB_BENCH_TOKEN" }
  const sources = url === undefined ? {} : { sources: { gh: { ...gh, ...variable } } }
  const config = JSON.stringify({ version: 1, agents, ...sources })
  const fleet = new Fleet(place, { files: 10, config })
  fleet.extra["GITHUB_BENCH_TOKEN"] = "token-of-robot"
  await fleet.coppice("up", "--detach")
  return fleet
}

async function pidOf({ client }: Fleet): Promise<number> {
  const { pid } = await client.status()
  if (pid === null) throw new Error("the daemon does not run")
  return pid
}

/** The processor time that the process has used, with what its threads have. */
function spentMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ")
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
