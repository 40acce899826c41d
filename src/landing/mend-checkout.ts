/**
 * Finishes, or takes back, the advance of a checkout that was cut off.
 *
 * A killed `read-tree` leaves some files new, one cut short, and its lock; a killed `update-ref`
 * leaves its locks. A path is ours if its bytes are the old ones, the new ones, a beginning of the
 * new ones, or none; any other byte is somebody's work and stops the mending, with nothing changed.
 * Where the target is still where the landing left it the files go forward, else back.
 */
import { rm } from "node:fs/promises"
import { assert } from "../core/assert.ts"
import type { GitPath, RefName } from "../core/ids.ts"
import { checkoutIndex } from "../git/checkout-index.ts"
import { isIndexAt } from "../git/diff-index.ts"
import { type Change, listChanges } from "../git/diff-tree.ts"
import { isAncestor } from "../git/merge-base.ts"
import { displayPath, joinBytes } from "../git/path.ts"
import { readLockedOid } from "../git/ref-lock.ts"
import { gitPaths, readCommit } from "../git/rev-parse.ts"
import { writeIndexInfo } from "../git/update-index.ts"
import { readIdentity } from "../process/identity.ts"
import { advanceCheckout, type Helper, type Intent } from "./advance-checkout.ts"
import { readOwnership } from "./mend-ownership.ts"

export type Mended =
  | { readonly kind: "advanced" } // target and checkout are at the new commit
  | { readonly kind: "undone" } // the target moved elsewhere; the checkout is as it was
  | { readonly kind: "locked"; readonly reason: string }
  | { readonly kind: "inTheWay"; readonly reason: string; readonly paths: readonly string[] }

export type Mend = {
  readonly target: RefName
  readonly intent: Intent
  readonly reason: string
  record(intent: Intent): void
}

export async function mendCheckout(mend: Mend): Promise<Mended> {
  const { intent, target } = mend
  const { checkout, from, to } = intent
  const running = [intent.locker, intent.reader].find(isRunning)
  if (running)
    return { kind: "locked", reason: `git (pid ${running.pid}) is still at work in ${checkout}` }
  await removeLeftLocks(mend)

  const actual = await readCommit(checkout, target)
  if (actual && (await isAncestor(checkout, to, actual))) return { kind: "advanced" }
  const changes = await listChanges(checkout, from, to)
  const { foreign, touched } = await readOwnership(checkout, changes)
  if (foreign.length > 0 && actual === from) return inTheWay(checkout, foreign)
  if (actual !== from) return goBack(checkout, touched)
  return goForward(mend, changes)
}

async function goForward(mend: Mend, changes: readonly Change[]): Promise<Mended> {
  const moveFiles = async ({ checkout }: Intent) => {
    const entries = changes.map(({ path, newMode, newOid }) => ({
      path,
      mode: newMode,
      oid: newOid,
    }))
    const written = await writeIndexInfo(checkout, entries)
    if (written.kind === "locked") return "locked"
    await checkoutIndex(
      checkout,
      pathsOf(changes, (change) => change.status !== "D"),
    )
    for (const path of pathsOf(changes, (change) => change.status === "D"))
      await rm(joinBytes(checkout, path), { force: true })
    return "done" as const
  }
  const advanced = await advanceCheckout({ ...mend, moveFiles })
  if (advanced === "advanced") return { kind: "advanced" }
  return { kind: "locked", reason: `git's lock on ${mend.target} is held` }
}

/** Files that the cut-off move changed go back to what the index has; what it added goes. */
async function goBack(checkout: string, touched: readonly Change[]): Promise<Mended> {
  await checkoutIndex(
    checkout,
    pathsOf(touched, (change) => change.status !== "A"),
  )
  for (const path of pathsOf(touched, (change) => change.status === "A"))
    await rm(joinBytes(checkout, path), { force: true })
  return { kind: "undone" }
}

/** Removes the locks of our own dead children, and no others. */
async function removeLeftLocks({ intent, target }: Mend): Promise<void> {
  const { checkout, from, to, locker, reader } = intent
  const [refLock, headLock, indexLock] = await gitPaths(checkout, [
    `${target}.lock`,
    "HEAD.lock",
    "index.lock",
  ])
  assert(refLock && headLock && indexLock, "git tells the path of each lock")
  if (locker && (await readLockedOid(refLock)) === to) {
    await rm(refLock, { force: true })
    await rm(headLock, { force: true }) // taken in the same transaction
  }
  // A read-tree that ended well has renamed its lock to the index, which is then at `to`.
  if (reader && (await isIndexAt(checkout, from))) await rm(indexLock, { force: true })
}

const isRunning = (child: Helper | undefined): boolean =>
  child !== undefined && child.identity !== "gone" && readIdentity(child.pid) === child.identity

const pathsOf = (changes: readonly Change[], wanted: (change: Change) => boolean): GitPath[] =>
  changes.filter(wanted).map(({ path }) => path)

const inTheWay = (checkout: string, paths: readonly GitPath[]): Mended => ({
  kind: "inTheWay",
  reason: `advancing ${checkout} was cut off, and files in it were changed since`,
  paths: paths.map(displayPath),
})
