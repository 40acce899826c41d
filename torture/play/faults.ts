/** Faults around the fleet that kill nothing. */
import { closeSync, existsSync, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Dice } from "../dice.ts"
import type { Scratch } from "../scratch.ts"
import type { Fleet } from "./fleet.ts"

export type FaultScene = { readonly fleet: Fleet; readonly scratch: Scratch; readonly dice: Dice }
type Fault = (scene: FaultScene) => Promise<boolean>

/** Longer than a landing waits before it tries again. */
const LOCK_HELD_MS_MAX = 1_500

const endDaemon: Fault = async ({ fleet }) => {
  await fleet.down()
  return true
}

/** Kept open, as by a program that works. Undefined if a git was faster. */
function take(lock: string): number | undefined {
  try {
    return openSync(lock, "wx")
  } catch {
    return undefined
  }
}

/** As the git of another program would hold it. */
const holdLock: Fault = async ({ scratch, dice }) => {
  const names = [
    "index.lock",
    "worktrees/linked/index.lock",
    `refs/heads/${scratch.target}.lock`,
    "packed-refs.lock",
  ]
  const repo = dice.pick([scratch.repo, scratch.lib]) ?? ""
  const lock = join(repo, ".git", dice.pick(names) ?? "")
  if (existsSync(lock)) return false
  const held = take(lock)
  if (held === undefined) return false
  await delay(dice.below(LOCK_HELD_MS_MAX))
  rmSync(lock, { force: true })
  closeSync(held)
  return true
}

// biome-ignore format: a table reads best as one
export const FAULTS: readonly (readonly [name: string, weight: number, strike: Fault])[] = [
  ["the daemon is ended",     1, endDaemon],
  ["git's lock is held",      3, holdLock],
]
