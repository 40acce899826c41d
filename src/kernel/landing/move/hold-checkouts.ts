/**
 * Holds the checkouts of a landing's targets, so that no commit can begin there until it has landed.
 *
 * A landing that lost several races would lose the next one too: its target moves more often than it can
 * be prepared. So we hold the index of the checkout from before we read the target. A user's commit then
 * fails before it begins, as it does while the files move. The hold ends by itself after a short time: what
 * takes longer, such as a gate, goes on without it. After a crash the lock names a dead owner.
 */
import { setTimeout as delay } from "node:timers/promises"
import { isCheckedOutNowhere } from "../../git/ask/heads.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { HeldIndexes } from "../../git/change/held-indexes.ts"
import type { Configured } from "../action.ts"
import { listOpen } from "../landing-repos.ts"
import type { Landing, LandingRepo } from "../rows/row.ts"
import { holdMs, isOutpaced } from "../rules/races.ts"

/** A script that commits without a pause leaves the index alone between two of its commands. */
const TAKE_MS_MAX = 1_000
const POLL_MS = 1

/** @returns undefined if the landing goes on without a hold. */
export async function holdCheckouts(
  context: Configured,
  landing: Landing,
  signal: AbortSignal,
): Promise<HeldIndexes | undefined> {
  if (landing.state !== "preparing" || !isOutpaced(landing)) return undefined
  try {
    const repos = listOpen(landing)
    if (repos.some((repo) => mustWait(context, repo))) return undefined
    const dirs = (await Promise.all(repos.map(findDir))).flatMap((dir) => dir ?? [])
    return dirs.length === 0 ? undefined : await take(dirs, holdMs(landing), signal)
  } catch {
    return undefined // the action meets the same error, and reports it
  }
}

/** With the network: never inside a lock. With an interrupted move: its repair takes the lock itself. */
const mustWait = ({ repoConfig }: Configured, repo: LandingRepo): boolean =>
  repo.intent !== null || repoConfig(repo).pushTarget

async function findDir({ path, target }: LandingRepo): Promise<string | undefined> {
  if (isCheckedOutNowhere(path, target)) return undefined
  const worktrees = await listWorktrees(path)
  const found = worktrees.find(
    ({ branch, bare, prunable }) => branch === target && !bare && !prunable,
  )
  return found && (await gitDir(found.path))
}

async function take(dirs: readonly string[], msMax: number, signal: AbortSignal) {
  const untilMs = performance.now() + TAKE_MS_MAX
  for (;;) {
    const held = HeldIndexes.take(dirs, msMax)
    if (held || signal.aborted || performance.now() > untilMs) return held
    await delay(POLL_MS)
  }
}
