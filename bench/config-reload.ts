/** The time until a changed configuration of many agents is in force, while a task runs. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { AppError } from "../src/base/errors.ts"
import { approveConfig } from "../src/features/trust/find-unapproved.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"

const AGENTS = 200
const ROUNDS = 10
const LOOK_MS = 50

export const configReload: Figure = {
  name: "config-reload",
  subject: `a request after a change of ${AGENTS} agents, which knows the new ones`,
  baseline: "the same request without a change",
  unit: "ms",
  addedMax: 200,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const started = join(place.folder, "started")
  const textOf = (round: number) => configOf(`touch ${JSON.stringify(started)}; sleep 600`, round)
  await using fleet = new Fleet(place, { files: 10, config: textOf(0) })
  const { client } = fleet
  const { task } = await client.create({ prompt: "go on working", agent: "worker" })
  while (!existsSync(started)) await delay(LOOK_MS, undefined, { signal: place.signal })
  const samples = { baseline: [] as number[], subject: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    samples.baseline.push(await timeRequest(fleet, round))
    writeFileSync(join(fleet.repo, "coppice.yml"), textOf(round + 1))
    approveConfig({ home: fleet.repo }, fleet.home.env())
    samples.subject.push(await timeRequest(fleet, round + 1))
  }
  const { state, jobs } = await client.show(task.id)
  if (state !== "working" || jobs.length !== 1) throw new Error(`the running task is ${state}`)
  return samples
}

/** Asks for an agent that does not exist: the refusal lists the agents that the daemon knows. */
async function timeRequest({ client }: Fleet, round: number): Promise<number> {
  const startMs = performance.now()
  try {
    await client.create({ prompt: "nothing", agent: "missing" })
  } catch (error) {
    const ms = performance.now() - startMs
    if (error instanceof AppError && error.hints.join().includes(`agent-0-${round},`)) return ms
    throw error
  }
  throw new Error("an agent that does not exist was accepted")
}

/** The name and the command of every other agent change in each round. */
function configOf(command: string, round: number): string {
  const others = Array.from({ length: AGENTS - 1 }, (_, n) => [
    `agent-${n}-${round}`,
    { runtime: "command", command: `echo ${round}`, workspace: { branch_pattern: "a/{agent}" } },
  ])
  const agents = { worker: { runtime: "command", command }, ...Object.fromEntries(others) }
  return JSON.stringify({ version: 1, agents })
}
