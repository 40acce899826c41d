/** Lets everything come to rest: the user puts their things away, and does what tasks wait for. */
import { globSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { TaskDocument } from "../../src/core/wire.ts"
import { quote } from "../shell.ts"
import { type Fleet, isOver } from "./fleet.ts"
import { pause } from "./pause.ts"
import type { User } from "./user.ts"

/** Far more than landings take: what is not over by then has been forgotten. */
const SETTLE_MS_MAX = 180_000
const POLL_MS = 250
/** No git holds a lock that long over a few files. */
const LOCK_AGE_MS = 10_000
/** How often a stopped task is started again before it is given up. */
const RESTARTS_MAX = 2

/** @returns a sentence for each task that does not settle. */
export async function settle(
  users: readonly User[],
  fleet: Fleet,
  signal: AbortSignal,
): Promise<string[]> {
  const restarts = new Map<string, number>()
  const endMs = performance.now() + SETTLE_MS_MAX
  for (;;) {
    for (const user of users) await putAway(user)
    for (const user of users) removeOldLocks(user)
    const isOpen = (task: TaskDocument) => !isOver(task) || task.deletion?.state === "pending"
    const tasks = (await fleet.tasks()).filter(isOpen)
    if (tasks.length === 0 || signal.aborted) return []
    for (const { id, state } of tasks) {
      if (state === "in_approval") await fleet.act(id, "land")
      if (state === "paused") await fleet.act(id, "resume")
      if (state !== "stuck" && state !== "merge_failed") continue
      const times = restarts.get(id) ?? 0
      restarts.set(id, times + 1)
      const again = state === "stuck" ? "restart" : "land"
      await fleet.act(id, times < RESTARTS_MAX ? again : "cancel")
    }
    if (performance.now() > endMs) {
      const left = tasks.map(
        async ({ id, state }) => `task ${id}, ${state}: ${await fleet.why(id)}`,
      )
      return await Promise.all(left)
    }
    await pause(POLL_MS, signal)
  }
}

/** Commits what is theirs and gives the checkout back, on the target. */
async function putAway(user: User): Promise<void> {
  for (const path of [...user.files, ...user.unsure]) {
    const file = join(user.scratch.repo, path)
    const isTracked = (await user.ask(`git ls-files -- ${quote(path)}`)) !== ""
    const away = `git checkout --quiet HEAD -- ${quote(path)} || git rm --quiet --force -- ${quote(path)}`
    if (isTracked && (await user.ask(away)) === undefined) continue
    if (!isTracked) rmSync(file, { force: true })
    user.forget(path)
  }
  await user.type(`git checkout --quiet --no-overwrite-ignore ${quote(user.scratch.target)}`)
}

/** Those of killed gits: nothing else tells a person that they may go. */
function removeOldLocks({ scratch: { repo } }: User): void {
  const cwd = join(repo, ".git")
  for (const name of globSync("**/*.lock", { cwd, exclude: ["coppice.lock"] })) {
    const path = join(cwd, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > LOCK_AGE_MS) rmSync(path, { force: true })
  }
}
