/**
 * Updates a worktree that checked out a branch while we moved it.
 *
 * A user can check out the branch at any time, and git then leaves the files at the old commit. The
 * next commit there would revert the landing. So we move the files too, unless the user's files are
 * in the way. A checkout writes its files under the index lock, for seconds in a large repository,
 * and HEAD last. So we wait for a running checkout. In linked worktrees an agent's commit looks the
 * same and is frequent, so there the wait is short.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { RefName } from "../../../base/ids.ts"
import { isCheckedOutNowhere } from "../../git/ask/heads.ts"
import { readTree } from "../../git/change/read-tree.ts"
import { commonDirOf, findGitDir, ifExists } from "../../git/start/git-dir.ts"
import { lookAtCheckout, type Move } from "./target-checkout.ts"

/** An older lock belongs to a commit with an open editor, or was left behind. */
const CHECKOUT_MS_MAX = { main: 10_000, linked: 2_000 }
/** The time between git's release of the index and its write of HEAD. */
const HEAD_MS_MAX = 500
const POLL_MS = 10

/** An index is locked. */
export type UnderWay = { readonly place: keyof typeof CHECKOUT_MS_MAX; readonly lock: string }

/**
 * Finds index locks that may belong to a checkout. Ask before the branch moves: a later checkout
 * sees the new commit.
 */
export function listUnderWay(repo: string): readonly UnderWay[] {
  const gitDir = findGitDir(repo)
  if (gitDir === undefined) return []
  const common = commonDirOf(gitDir)
  const linked = ifExists(() => readdirSync(join(common, "worktrees"))) ?? []
  const dirs = linked.map((id) => join(common, "worktrees", id))
  const all: UnderWay[] = [
    { place: "main", lock: join(common, "index.lock") },
    ...dirs.map((dir) => ({ place: "linked", lock: join(dir, "index.lock") }) as const),
  ]
  return all.filter(({ lock }) => isYoung(lock))
}

/** @param move the move of a branch that was checked out nowhere. */
export async function updateLateCheckout(
  repo: string,
  move: Move,
  underWay: readonly UnderWay[],
): Promise<void> {
  if (isCheckedOutNowhere(repo, move.target)) {
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
  for (let waitedMs = 0; isCheckedOutNowhere(repo, ref); waitedMs += POLL_MS) {
    if (waitedMs > HEAD_MS_MAX) return false
    await delay(POLL_MS)
  }
  return true
}

function isYoung(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs < CHECKOUT_MS_MAX.main
}
