/** Lets every task end: a person merges what is open, takes in what others pushed, and gives up the rest. */
import { existsSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { review } from "../../test/support/forge/pulls.ts"
import { Dice } from "../../torture/dice.ts"
import { type PullWorld, unlessGone } from "./world.ts"

const SETTLE_MS_MAX = 240_000
const POLL_MS = 500
/** A stopped task is helped this often before it is cancelled. */
const HELPS_MAX = 4

/** @returns a sentence for each task that does not end. */
export async function settle(
  world: PullWorld,
  { seed, signal }: { readonly seed: number; readonly signal: AbortSignal },
): Promise<string[]> {
  const helps = new Map<string, number>()
  const endMs = performance.now() + SETTLE_MS_MAX
  for (let n = 1; ; n++) {
    mergeOpen(world, new Dice(seed, -n))
    const tasks = (await world.tasks()).filter(isOpen)
    if (tasks.length === 0 || signal.aborted) return []
    for (const task of tasks) await help(world, task, helps)
    if (performance.now() > endMs) return await Promise.all(tasks.map((one) => told(world, one)))
    await delay(POLL_MS)
  }
}

const isOpen = ({ state }: TaskDocument) => state !== "complete" && state !== "cancelled"

/** Merges the pull requests that lead into the target, and closes one that conflicts. */
function mergeOpen(world: PullWorld, dice: Dice): void {
  for (const pull of world.open) {
    if (pull.base !== "main") continue
    review(world.server.state, pull, "APPROVED")
    if (world.merge(pull, dice)) world.count("merged")
    else world.close(pull)
  }
}

async function help(
  world: PullWorld,
  task: TaskDocument,
  helps: Map<string, number>,
): Promise<void> {
  const { id, state, landing } = task
  const { client } = world.fleet
  if (landing?.outcome === "LOWER_CLOSED") await unlessGone(() => client.act(id, "land"))
  const waitsForever = state === "registered" && landing === null
  if (state !== "stuck" && !waitsForever) return
  const times = (helps.get(id) ?? 0) + (waitsForever ? 0.1 : 1)
  helps.set(id, times)
  if (times > HELPS_MAX) {
    await unlessGone(() => client.act(id, "cancel"))
    return
  }
  if (!waitsForever) await repair(world, task)
}

/** Takes in the commits of others on its branch, as its reason says, and restarts it. */
export async function repair({ fleet }: PullWorld, { id, repos }: TaskDocument): Promise<void> {
  const [place] = repos
  if (place?.worktree && place.branch && existsSync(place.worktree)) {
    const pull = ["pull", "--quiet", "--no-rebase", "--no-edit", "origin", place.branch]
    try {
      fleet.repo.gitIn(place.worktree, ...pull)
    } catch {
      // the task's branch is gone there, or conflicts
    }
  }
  await unlessGone(() => fleet.client.act(id, "restart"))
}

async function told({ fleet }: PullWorld, { id, state }: TaskDocument): Promise<string> {
  const why = await unlessGone(() => fleet.client.why(id))
  return `task ${id} does not end; it is ${state}, and waits for ${why?.waitingFor}`
}
