/**
 * Brings along a checkout that arrives at a branch in the instants in which that moves.
 *
 * Nothing keeps a user from checking out the branch just then, and git leaves such a checkout where
 * the branch was: the next commit there would take the landing back. So its files follow, unless
 * something of the user's is in the way. A checkout writes its files first, under the index's lock,
 * which takes seconds in a large repository, and HEAD last: one that is under way is waited for.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { RefName } from "../../core/ids.ts"
import { readTree } from "../../git/index/read-tree.ts"
import { isNowhere } from "../../git/refs/heads.ts"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { commonDirOf } from "../../git/worktrees/git-dir.ts"
import { lookAtCheckout, type Move } from "./target-checkout.ts"

/** An older lock is that of a commit whose message is being written, or was left behind. */
const CHECKOUT_MS_MAX = 10_000
/** Between git's letting go of the index and its writing HEAD. */
const HEAD_MS_MAX = 500
const POLL_MS = 10

/** @param move of a branch that was checked out nowhere, and has moved. */
export async function bringAlong(repo: string, move: Move): Promise<void> {
  if (isNowhere(repo, move.target) && !(await hasArrived(repo, move.target))) return
  const look = await lookAtCheckout(repo, move)
  if (look.kind === "clear") await readTree(look.checkout, move)
}

/** Waits for what goes on in the main worktree; in the others agents commit all the time. */
async function hasArrived(repo: string, ref: RefName): Promise<boolean> {
  const lock = join(commonDirOf(await gitDir(repo)), "index.lock")
  if (!isYoung(lock)) return false
  for (let waitedMs = 0; isYoung(lock) && waitedMs < CHECKOUT_MS_MAX; waitedMs += POLL_MS)
    await delay(POLL_MS)
  for (let waitedMs = 0; isNowhere(repo, ref); waitedMs += POLL_MS) {
    if (waitedMs > HEAD_MS_MAX) return false
    await delay(POLL_MS)
  }
  return true
}

function isYoung(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs < CHECKOUT_MS_MAX
}
