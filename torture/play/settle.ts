/** Lets everything settle: users put their files away, and give tasks what they wait for. */
import { globSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import type { Report } from "../report.ts"
import { quote } from "../shell.ts"
import { type Fleet, isOver } from "./fleet.ts"
import { pause } from "./pause.ts"
import type { User } from "./user.ts"

/** Far more than landings take; a task that is not over by then is stuck. */
const SETTLE_MS_MAX = 180_000
const POLL_MS = 250
/** No git holds a lock that long over a few files. */
const DEAD_AGE_MS = 10_000
/** Long enough for Coppice to remove a dead lock or to name it. */
const UNNAMED_AGE_MS_MAX = 40_000
const COMPLAINTS_MS = 3_000
/**
 * A stopped task is restarted up to this often before it is cancelled; every other one never is.
 */
const RESTARTS_MAX = 2

export type Settling = {
  readonly users: readonly User[]
  readonly fleet: Fleet
  readonly report: Report
  readonly signal: AbortSignal
}

/** @returns a sentence for each task that does not settle. */
export async function settle(scene: Settling): Promise<string[]> {
  const { users, fleet, signal } = scene
  const restarts = new Map<string, number>()
  const endMs = performance.now() + SETTLE_MS_MAX
  for (let lookedMs = 0; ; ) {
    // The linked worktree first: it may have the branch that the main one comes back to.
    for (const user of users.toReversed()) await putAway(user)
    const isOpen = (task: TaskDocument) => !isOver(task) || task.deletion?.state === "pending"
    const tasks = (await fleet.tasks()).filter(isOpen)
    if (performance.now() - lookedMs > COMPLAINTS_MS) {
      for (const user of users) await removeDeadLocks(user, scene, tasks)
      lookedMs = performance.now()
    }
    if (tasks.length === 0 || signal.aborted) return []
    for (const task of tasks) await help(fleet, task, restarts)
    if (performance.now() > endMs) {
      const left = tasks.map(
        async ({ id, state }) => `task ${id}, ${state}: ${await fleet.why(id)}`,
      )
      return await Promise.all(left)
    }
    await pause(POLL_MS, signal)
  }
}

async function help(fleet: Fleet, { id, state }: TaskDocument, restarts: Map<string, number>) {
  if (state === "in_approval") await fleet.act(id, "land")
  if (state === "paused") await fleet.act(id, "resume")
  if (state !== "stuck" && state !== "merge_failed") return
  const times = restarts.get(id) ?? 0
  restarts.set(id, times + 1)
  const again = state === "stuck" ? "restart" : "land"
  const isGivenUp = times >= (Number(id) % 2 === 0 ? RESTARTS_MAX : 0)
  await fleet.act(id, isGivenUp ? "cancel" : again)
}

/** Commits the user's files and returns the checkout to their branch. */
async function putAway(user: User): Promise<void> {
  for (const path of [...user.files, ...user.unsure]) {
    const file = join(user.place.checkout, path)
    const isTracked = (await user.ask(`git ls-files -- ${quote(path)}`)) !== ""
    const away = `git checkout --quiet HEAD -- ${quote(path)} || git rm --quiet --force -- ${quote(path)}`
    if (isTracked && (await user.ask(away)) === undefined) continue
    if (!isTracked) rmSync(file, { force: true })
    user.forget(path)
  }
  // A git that starts on the branch reads it twice, and takes a landing in between back.
  const { branch } = user.place
  if ((await user.ask("git symbolic-ref --quiet --short HEAD")) === branch) return
  await user.type(`git checkout --quiet --no-overwrite-ignore ${quote(branch)}`)
}

/**
 * A person removes a dead lock that Coppice names. One that it does not name is a fault of Coppice.
 */
async function removeDeadLocks(
  { place: { repo, checkout } }: User,
  { fleet, report }: Settling,
  tasks: readonly TaskDocument[],
): Promise<void> {
  if (checkout !== repo) return // the checkout's locks are among those of the main worktree
  const dead = listLocks(repo, DEAD_AGE_MS)
  if (dead.length === 0) return
  const told = [
    await fleet.complaints(),
    ...(await Promise.all(tasks.map(({ id }) => fleet.why(id)))),
  ]
  const isNamed = (path: string) => told.some((text) => text.includes(path))
  const unnamed = listLocks(repo, UNNAMED_AGE_MS_MAX).filter((path) => !isNamed(path))
  for (const path of [...dead.filter(isNamed), ...unnamed]) rmSync(path, { force: true })
  for (const _ of dead.filter(isNamed)) report.count("user", "removes a dead lock that is named")
  report.check("dead locks are removed, or named", dead.length, unnamed)
}

/** Paths of git's locks of at least this age. */
export function listLocks(repo: string, ageMs: number): string[] {
  const cwd = join(repo, ".git")
  return globSync(["**/*.lock", "packed-refs.new"], { cwd, exclude: ["coppice.lock"] })
    .map((name) => join(cwd, name))
    .filter((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found !== undefined && Date.now() - found.mtimeMs >= ageMs
    })
}
