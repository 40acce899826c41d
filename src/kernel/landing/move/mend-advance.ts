/**
 * Repairs an interrupted move of a branch, so that the result is the state before it or after it.
 *
 * A killed `read-tree` leaves some files new and one cut short; a killed `update-ref` leaves its
 * locks. The index changes at one instant, after all files. If it is new, only the ref remains to
 * move. If it is old, every file that the move wrote is restored. The move wrote a file if its
 * bytes are the old ones, the new ones, a beginning of the new ones, or none. Any other content is
 * a user's work and stops the repair of a user's checkout before any change.
 */
import { existsSync, statSync } from "node:fs"
import { rm, rmdir } from "node:fs/promises"
import { dirname } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { GitPath, RefName } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listRefLocks } from "../../git/ask/ref-lock.ts"
import { gitDir, readCommit } from "../../git/ask/rev-parse.ts"
import { checkoutIndex } from "../../git/change/checkout-index.ts"
import { holdIndex } from "../../git/change/own-index.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import { findPlain } from "../../process/plain-file.ts"
import { hasEnded } from "../../process/process-identity.ts"
import { clearDeadLocks } from "../../workspaces/locks/dead-locks.ts"
import type { Helper, Intent } from "./advance-branch.ts"
import { type Ownership, readOwnership } from "./mend-ownership.ts"

export type Mended =
  | { readonly kind: "mended" }
  | { readonly kind: "locked"; readonly reason: string; readonly paths: readonly string[] }
  | { readonly kind: "inTheWay"; readonly reason: string; readonly paths: readonly string[] }

export type Mend = {
  readonly repo: string
  /** The target. A checkout of any other branch is the task's own worktree. */
  readonly target: RefName
  readonly intent: Intent
  record(intent: Intent): void
}

/**
 * An orphan of ours reaches the end of its input and releases its locks. Only a hanging disk takes
 * longer.
 */
const ORPHAN_MS_MAX = 10_000
const POLL_MS = 5
/** File times are coarse. */
const COARSE_MS = 1_000

export async function mendAdvance(mend: Mend): Promise<Mended> {
  const { intent, repo } = mend
  const { checkout, locker } = intent
  if (locker && (await isAtWork(locker)))
    return {
      kind: "locked",
      reason: `git (pid ${locker.pid}) is still at work in ${repo}`,
      paths: [],
    }
  const isThere = checkout !== null && existsSync(checkout)
  await clearDeadLocks(isThere ? checkout : repo, isLeftBy(intent))
  return isThere ? await mendCheckout(mend, checkout) : { kind: "mended" }
}

async function mendCheckout(mend: Mend, checkout: string): Promise<Mended> {
  const taken = holdIndex(await gitDir(checkout))
  if (taken.kind === "held") {
    // A reset or commit between check and move would revert files, or take new files for the
    // user's.
    using _held = taken
    return await mendHeld(mend, checkout)
  }
  const { lock } = taken
  return { kind: "locked", reason: `git's lock ${lock} is held`, paths: [lock] }
}

async function mendHeld({ intent, target, record }: Mend, checkout: string): Promise<Mended> {
  const { isOpen, ...ownership } = await look(checkout, intent)
  const { isIndexMoved, foreign, toRemove, toWrite } = ownership
  if (isIndexMoved && isOpen) return await moveRef(checkout, intent)
  if (foreign.length > 0 && isOpen && intent.ref === target) return inTheWay(checkout, foreign)
  if (toRemove.length + toWrite.length > 0) {
    record({ ...intent, mending: true })
    await putBack(checkout, ownership)
  }
  return { kind: "mended" }
}

/**
 * Lists the user's files that block the repair of a checkout, as display paths. Changes and locks
 * nothing: a waiting landing asks repeatedly while that person works there.
 */
export async function listInTheWay({
  intent,
  target,
}: Pick<Mend, "intent" | "target">): Promise<string[]> {
  const { checkout, ref } = intent
  if (checkout === null || ref !== target || !existsSync(checkout)) return []
  const { isOpen, isIndexMoved, foreign } = await look(checkout, intent)
  return isOpen && !isIndexMoved ? foreign.map(displayPath) : []
}

/** The files' writers; `isOpen`: the branch has not moved. */
async function look(checkout: string, { ref, from, to, mending }: Intent) {
  const changes = await listChanges(checkout, from, to)
  const ownership = await readOwnership(checkout, changes, { mending: mending ?? false })
  return { ...ownership, isOpen: (await readCommit(checkout, ref)) === from }
}

async function moveRef(checkout: string, { ref, from, to }: Intent): Promise<Mended> {
  const reason = "coppice: finish an interrupted move"
  const { kind } = await updateRef(checkout, { ref, from, to, reason })
  if (kind === "locked")
    return {
      kind,
      reason: `git's lock on ${ref} is held`,
      paths: await listRefLocks(checkout, ref),
    }
  return { kind: "mended" } // or it has just moved: the next check sees where it is
}

async function putBack(checkout: string, { toRemove, toWrite }: Ownership): Promise<void> {
  for (const path of toRemove) {
    await rm(joinBytes(checkout, path), { force: true })
    await removeEmptyFolders(checkout, path)
  }
  if (toWrite.length > 0) await checkoutIndex(checkout, toWrite)
}

async function removeEmptyFolders(checkout: string, path: GitPath): Promise<void> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const removed = await rmdir(joinBytes(checkout, folder as GitPath)).then(
      () => true,
      () => false, // the folder is in use, or gone
    )
    if (!removed) return
  }
}

/**
 * Recognises the locks of our own ended child: the ref's lock holds the new commit or is empty, and
 * HEAD's is empty. An older lock belongs to another process.
 */
function isLeftBy({ ref, to, locker }: Intent): (lock: string) => boolean {
  return (lock) => {
    const found = statSync(lock, { throwIfNoEntry: false })
    if (!locker || !found || found.mtimeMs < locker.startedAtMs - COARSE_MS) return false
    if (!lock.endsWith(`/${ref}.lock`) && !lock.endsWith("/HEAD.lock")) return false
    return ["", to].includes(findPlain(lock)?.toString("latin1").trim() ?? "gone")
  }
}

async function isAtWork(locker: Helper): Promise<boolean> {
  for (let waitedMs = 0; !hasEnded(locker); waitedMs += POLL_MS) {
    if (waitedMs > ORPHAN_MS_MAX) return true
    await delay(POLL_MS)
  }
  return false
}

const inTheWay = (checkout: string, paths: readonly GitPath[]): Mended => ({
  kind: "inTheWay",
  reason: `advancing ${checkout} was cut off, and files in it were changed since`,
  paths: paths.map(displayPath),
})
