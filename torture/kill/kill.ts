/**
 * The ways in which a fleet dies: `kill -9` of a daemon, its processes or one git, at any instant
 * or while a lock is held.
 *
 * This code does not know what the daemon does: it reads processes and files.
 */
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Dice } from "../dice.ts"
import type { Scratch } from "../scratch.ts"
import { findLock, LOCKS } from "./find-lock.ts"
import { findDaemonPid, isGit, readTree, type Tree } from "./processes.ts"

export type KillScene = {
  readonly scratch: Scratch
  readonly dice: Dice
  readonly signal: AbortSignal
}
/** @returns a description of the victims; undefined if there was nothing to kill. */
type Kill = (scene: KillScene) => Promise<string | undefined>
export type KillMode = {
  readonly name: string
  readonly weight: number
  /** The kill waits for a lock, and the play goes on in that time. */
  readonly waits: boolean
  readonly strike: Kill
}

/** While work lands, some lock is nearly always taken within this time. */
const HUNT_MS_MAX = 3_000
/** Git holds a lock only briefly. */
const LOCK_POLL_MS = 1
/** How often the hunt refreshes its list of processes. */
const TREE_MS = 100
const GIT_HUNT_MS_MAX = 800
const GIT_POLL_MS = 3
/** A killed process is gone long before. */
const GONE_MS_MAX = 5_000
const GONE_POLL_MS = 5

const onlyDaemon = ({ daemon }: Tree) => [daemon]
const withGuard = ({ daemon, guard }: Tree) => [...guard, daemon]
const wholeGroup = ({ daemon }: Tree) => [-daemon]
const withGits = ({ daemon, gits }: Tree) => [daemon, ...gits.map(({ pid }) => pid)]
const wholeTree = (tree: Tree) => [
  ...withGuard(tree),
  ...[...tree.gits, ...tree.others].map(({ pid }) => pid),
]

const strikeNow =
  (victims: (tree: Tree) => readonly number[]): Kill =>
  async ({ scratch }) => {
    const daemon = findDaemonPid(scratch.state)
    if (daemon === undefined) return undefined
    killAll(victims(readTree(daemon, scratch.folder)))
    if (victims === wholeTree) killStragglers(daemon, scratch)
    await untilGone(daemon)
    return "at any instant"
  }

/** The lock may be held by a git of the daemon's, of an agent's or of the user's. */
const strikeAtLock =
  (victims: (tree: Tree) => readonly number[]): Kill =>
  async ({ scratch, dice, signal }) => {
    const kind = dice.pick(LOCKS)!
    const gitDirs = [scratch.repo, scratch.lib].map((repo) => join(repo, ".git"))
    const endMs = performance.now() + HUNT_MS_MAX
    let tree: Tree | undefined
    for (let readMs = 0; performance.now() < endMs && !signal.aborted; await delay(LOCK_POLL_MS)) {
      if (performance.now() - readMs > TREE_MS) {
        const daemon = findDaemonPid(scratch.state)
        tree = daemon === undefined ? undefined : readTree(daemon, scratch.folder)
        readMs = performance.now()
      }
      if (!tree || !gitDirs.some((gitDir) => findLock(gitDir, kind))) continue
      killAll(victims(tree))
      if (victims !== onlyDaemon) killGroups(tree)
      if (victims === wholeTree) killStragglers(tree.daemon, scratch)
      await untilGone(tree.daemon)
      return kind
    }
    return undefined
  }

/** Kills a git of the daemon's or of an agent's; never one that the user types. */
const oneGit: Kill = async ({ scratch, dice, signal }) => {
  const draw = dice.throw()
  const endMs = performance.now() + GIT_HUNT_MS_MAX
  for (; performance.now() < endMs && !signal.aborted; await delay(GIT_POLL_MS)) {
    const daemon = findDaemonPid(scratch.state)
    const tree = daemon === undefined ? undefined : readTree(daemon, scratch.folder)
    const gits = [...(tree?.gits ?? []), ...(tree?.others ?? [])].filter(isGit)
    const victim = gits[Math.floor(draw * gits.length)]
    if (victim && killAll([victim.pid]) > 0) return "at any instant"
  }
  return undefined
}

// biome-ignore format: a table reads best as one
export const KILL_MODES: readonly KillMode[] = [
  { name: "the daemon",                                weight: 5, waits: false, strike: strikeNow(onlyDaemon) },
  { name: "the daemon and its guard",                  weight: 3, waits: false, strike: strikeNow(withGuard) },
  { name: "its process group",                         weight: 2, waits: false, strike: strikeNow(wholeGroup) },
  { name: "the whole process tree",                    weight: 3, waits: false, strike: strikeNow(wholeTree) },
  { name: "one git",                                   weight: 3, waits: true,  strike: oneGit },
  { name: "the daemon, while a lock is held",          weight: 3, waits: true,  strike: strikeAtLock(onlyDaemon) },
  { name: "the daemon and its git processes, while a lock is held", weight: 3, waits: true, strike: strikeAtLock(withGits) },
  { name: "the whole tree, while a lock is held",      weight: 2, waits: true,  strike: strikeAtLock(wholeTree) },
]

/** @returns how many were still there. */
function killAll(pids: readonly number[]): number {
  return pids.filter((pid) => {
    try {
      return process.kill(pid, "SIGKILL")
    } catch {
      return false // the process has ended
    }
  }).length
}

/** A git that started after the tree was read is in the group of a shell that was there. */
function killGroups({ gits }: Tree): void {
  killAll([...new Set(gits.map(({ group }) => -group))])
}

/** Kills processes that were started during the other kills. */
function killStragglers(daemon: number, { folder }: Scratch): void {
  for (let round = 0; round < 3; round++) {
    const { guard, gits, others } = readTree(daemon, folder)
    const left = [...guard, ...[...gits, ...others].map(({ pid }) => pid)]
    if (killAll(left) === 0) return
  }
}

async function untilGone(pid: number): Promise<void> {
  const endMs = performance.now() + GONE_MS_MAX
  while (performance.now() < endMs && isThere(pid)) await delay(GONE_POLL_MS)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
