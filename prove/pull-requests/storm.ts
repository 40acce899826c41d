/**
 * A kill storm over pull requests: tasks, some of them stacked, a person who reviews, pushes and
 * merges, and daemons that die during pushes and requests.
 *
 * In the end everything settles, and the forge's repository is asked what happened. The dice have a seed;
 * the machine's timing is its own.
 */
import { setTimeout as delay } from "node:timers/promises"
import { review } from "../../test/support/forge/pulls.ts"
import { Dice } from "../../torture/dice.ts"
import { checkForge, checkOpen } from "./check.ts"
import { killDaemon } from "./kill.ts"
import { repair, settle } from "./settle.ts"
import { PullWorld, unlessGone } from "./world.ts"

export type PullStorm = {
  readonly kills: number
  readonly seed: number
  readonly signal: AbortSignal
  tell(line: string): void
}

export type PullStormDone = {
  readonly seed: number
  readonly counts: Readonly<Record<string, number>>
  /** A sentence for each promise that was broken. */
  readonly violations: readonly string[]
}

const OPEN_MAX = 6
const ON_SHARE = 0.35
const PAUSE_MS_MAX = 300
/** A kill takes a few seconds, since the next daemon has to start. This limit ends a stuck play. */
const SECONDS_PER_KILL_MAX = 20

type Step = { readonly world: PullWorld; readonly dice: Dice; readonly n: number }

export async function stormPulls({ kills, seed, signal, tell }: PullStorm): Promise<PullStormDone> {
  await using world = await PullWorld.start()
  const violations = new Set<string>()
  const endMs = performance.now() + kills * SECONDS_PER_KILL_MAX * 1_000
  let killed = 0
  for (let n = 1; killed < kills && performance.now() < endMs && !signal.aborted; n++) {
    const dice = new Dice(seed, n)
    const done = await act({ world, dice, n })
    if (done !== undefined) world.count(done)
    if (done?.startsWith("killed")) killed++
    for (const text of checkOpen(world)) violations.add(text)
    await delay(dice.below(PAUSE_MS_MAX))
  }
  tell(`seed ${seed}: ${killed} kills; letting everything come to rest`)
  for (const text of await settle(world, { seed, signal })) violations.add(text)
  for (const text of await checkForge(world)) violations.add(text)
  if (killed < kills && !signal.aborted) violations.add(`only ${killed} of ${kills} kills struck`)
  return { seed, counts: world.counts, violations: [...violations] }
}

// biome-ignore format: a table reads best as one
const ACTS: readonly (readonly [(step: Step) => Promise<string | undefined> | string | undefined, weight: number])[] = [
  [create, 5],
  [kill, 5],
  [reviewOne, 4],
  [fail, 1],
  [push, 2],
  [merge, 3],
  [close, 0.4],
  [repairOne, 1.5],
]

const act = async (step: Step): Promise<string | undefined> =>
  await step.dice.pickWeighted(ACTS)?.(step)

/** `n` names the file by which its landing is recognised. */
async function create({ world, dice, n }: Step): Promise<string | undefined> {
  const tasks = await world.tasks()
  const open = tasks.filter(({ state }) => !["complete", "cancelled", "stuck"].includes(state))
  if (open.length >= OPEN_MAX) return undefined
  const lower = dice.chance(ON_SHARE) ? dice.pick(open) : undefined
  const shared = `echo ${n} >> "shared-${dice.below(3)}.txt"`
  const prompt = `echo ${n} > file-${n}.txt; ${dice.chance(0.4) ? shared : "true"}; sleep 0.${dice.below(9)}`
  const task = { prompt, title: `play ${n}`, ...(lower && { on: lower.id }) }
  const made = await unlessGone(() => world.fleet.client.create(task))
  if (made === undefined) return undefined
  return lower ? "task on another" : "task"
}

async function kill({ world, dice }: Step): Promise<string | undefined> {
  const moment = await killDaemon(world, dice)
  return moment === undefined ? undefined : `killed, ${moment}`
}

function reviewOne({ world, dice }: Step): string | undefined {
  const pull = dice.pick(world.open)
  if (!pull) return undefined
  const verdict = dice.chance(0.75) ? "APPROVED" : "CHANGES_REQUESTED"
  review(world.server.state, pull, verdict, { body: "See." })
  return verdict
}

function fail({ world, dice, n }: Step): string | undefined {
  const pull = dice.pick(world.open)
  if (!pull) return undefined
  const commit = world.pulls.headOf(pull)
  world.pulls.runs.push({ name: `ci ${n}`, commit, conclusion: "failure", summary: "red" })
  return "checks failed"
}

function push({ world, dice, n }: Step): string | undefined {
  const pull = dice.pick(world.open)
  return pull && world.push(pull.head, n) ? "a person pushed to its branch" : undefined
}

function merge({ world, dice }: Step): string | undefined {
  const pull = dice.pick(world.open.filter(({ base }) => base === "main"))
  return pull && world.merge(pull, dice) ? "merged" : undefined
}

function close({ world, dice }: Step): string | undefined {
  const pull = dice.pick(world.open)
  if (!pull) return undefined
  world.close(pull)
  return "closed"
}

async function repairOne({ world, dice }: Step): Promise<string | undefined> {
  const task = dice.pick((await world.tasks()).filter(({ state }) => state === "stuck"))
  if (!task) return undefined
  await repair(world, task)
  return "a person repaired a stopped task"
}
