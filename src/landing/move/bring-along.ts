/**
 * Brings along a checkout that arrives at a branch in the instants in which that moves.
 *
 * Nothing keeps a user from checking out the branch just then, and git leaves such a checkout where
 * the branch was: the next commit there would take the landing back. So its files follow, unless
 * something of the user's is in the way. A checkout writes its files first, under the index's lock,
 * which takes seconds in a large repository, and HEAD last: one that is under way is waited for. In linked
 * worktrees agents commit all the time, which cannot be told from it: there the wait is short.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { RefName } from "../../core/ids.ts"
import { readTree } from "../../git/index/read-tree.ts"
import { isNowhere } from "../../git/refs/heads.ts"
import { commonDirOf, findGitDir, unlessNowhere } from "../../git/worktrees/git-dir.ts"
import { lookAtCheckout, type Move } from "./target-checkout.ts"

/** An older lock is that of a commit whose message is being written, or was left behind. */
const CHECKOUT_MS_MAX = { main: 10_000, linked: 2_000 }
/** Between git's letting go of the index and its writing HEAD. */
const HEAD_MS_MAX = 500
const POLL_MS = 10

/** Somebody has the lock of an index. */
export type UnderWay = { readonly place: keyof typeof CHECKOUT_MS_MAX; readonly lock: string }

/** What may be a checkout: to be asked before the branch moves, since one that begins later sees it moved. */
export function listUnderWay(repo: string): readonly UnderWay[] {
  const gitDir = findGitDir(repo)
  if (gitDir === undefined) return []
  const common = commonDirOf(gitDir)
  const linked = unlessNowhere(() => readdirSync(join(common, "worktrees"))) ?? []
  const dirs = linked.map((id) => join(common, "worktrees", id))
  const all: UnderWay[] = [
    { place: "main", lock: join(common, "index.lock") },
    ...dirs.map((dir) => ({ place: "linked", lock: join(dir, "index.lock") }) as const),
  ]
  return all.filter(({ lock }) => isYoung(lock))
}

/** @param move of a branch that was checked out nowhere, and has moved. */
export async function bringAlong(
  repo: string,
  move: Move,
  underWay: readonly UnderWay[],
): Promise<void> {
  if (isNowhere(repo, move.target)) {
    const arrived = underWay.map((one) => hasArrived(repo, move.target, one))
    if (!(await Promise.all(arrived)).includes(true)) return
  }
  const look = await lookAtCheckout(repo, move)
  if (look.kind === "clear") await readTree(look.checkout, move)
}

async function hasArrived(repo: string, ref: RefName, { place, lock }: UnderWay): Promise<boolean> {
  const lockMsMax = CHECKOUT_MS_MAX[place]
  for (let waitedMs = 0; isYoung(lock) && waitedMs < lockMsMax; waitedMs += POLL_MS)
    await delay(POLL_MS)
  for (let waitedMs = 0; isNowhere(repo, ref); waitedMs += POLL_MS) {
    if (waitedMs > HEAD_MS_MAX) return false
    await delay(POLL_MS)
  }
  return true
}

function isYoung(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs < CHECKOUT_MS_MAX.main
}
