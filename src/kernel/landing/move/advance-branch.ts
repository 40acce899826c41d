/**
 * Moves a branch together with its checkout: a target, or for the gate the task's own.
 *
 * We lock the index first, like git's own commands, so that a user's command fails before it
 * begins. Then `update-ref` locks the ref, the files move, and the ref follows. So a user's commit
 * in between fails cleanly and never reverts the landing. Git alone cannot repeat this effect.
 * So we record the intent first, with the process that may leave locks, and mend-advance.ts repairs
 * an interrupted move. Locking and moving are two steps, so that all targets are locked before the
 * first one moves.
 */
import { assert } from "../../../base/assert.ts"
import type { Oid, RefName } from "../../../base/ids.ts"
import type { World } from "../../../base/world.ts"
import { readAlias, readHead } from "../../git/ask/head.ts"
import { isCheckedOutNowhere } from "../../git/ask/heads.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { listWorktrees, type Worktree } from "../../git/ask/worktree-list.ts"
import type { HeldIndexes } from "../../git/change/held-indexes.ts"
import { type HeldIndex, holdIndex } from "../../git/change/own-index.ts"
import { readTree } from "../../git/change/read-tree.ts"
import { type PreparedRef, prepareRef } from "../../git/change/update-ref.ts"
import { readIdentity } from "../../process/process-identity.ts"
import { listUnderWay, updateLateCheckout } from "./late-checkout.ts"

/** A child of ours that may have left locks. `identity` distinguishes it from a later process. */
export type Helper = {
  readonly pid: number
  readonly identity: string
  /** In the clock of file times. */
  readonly startedAtMs: number
}

export type Intent = {
  /** A branch, or a detached HEAD. */
  readonly ref: RefName
  /** The worktree that has it checked out; null if none. */
  readonly checkout: string | null
  readonly from: Oid
  readonly to: Oid
  /** `git update-ref`, holding the ref's lock and HEAD's. */
  readonly locker?: Helper
  /** An interrupted move is being undone. */
  readonly mending?: true
}

export type Advance = {
  readonly repo: string
  readonly intent: Intent
  readonly reason: string
  readonly world: Pick<World, "point">
  /** The checkout's index may be held already. */
  readonly held?: HeldIndexes | undefined
  /** Records the intent at once. */
  record(intent: Intent): void
}

/** The ref is locked and checked: only {@link move} remains. Disposing releases the locks. */
export type LockedBranch = AsyncDisposable & {
  readonly kind: "locked"
  /** @throws {GitError} if git died in the middle: then repair. */
  move(): Promise<Moved>
}
/** Nothing changed. */
export type Unlockable = { readonly kind: "moved" | "refLocked" | "headMoved" | "indexLocked" }

export type Moved =
  | { readonly kind: "advanced" }
  /** Git did not move the files, or only some of them: repair. */
  | { readonly kind: "refused"; readonly said: string }

/** Locks and moves at once. @throws {GitError} when git died in the middle: mend. */
export async function advanceBranch(advance: Advance): Promise<Moved | Unlockable> {
  const locked = await lockBranch(advance)
  if (locked.kind !== "locked") return locked
  await using branch = locked
  return await branch.move()
}

/** From here on no other process moves the branch. @throws {GitError} if git died: then repair. */
export async function lockBranch(advance: Advance): Promise<LockedBranch | Unlockable> {
  const { repo, intent, reason, world } = advance
  const { ref, checkout, from, to } = intent
  const dir = checkout === null ? undefined : await gitDir(checkout)
  await using locks = new AsyncDisposableStack()
  let index = undefined as ReturnType<typeof holdIndex> | undefined
  const onPid = (pid: number) => {
    advance.record({ ...intent, locker: helper(pid) })
    if (dir === undefined || index) return
    index = advance.held?.handOver(dir) ?? holdIndex(dir)
    if (index.kind === "held") locks.use(index)
  }
  const prepared = await prepareRef(checkout ?? repo, { ref, from, to, reason }, { onPid })
  if (prepared.kind === "stale") return { kind: "moved" }
  if (prepared.kind === "prepared") locks.use(prepared)
  if (index?.kind === "locked") return { kind: "indexLocked" }
  if (prepared.kind !== "prepared") return { kind: "refLocked" }
  const files = index
  await world.point("advance: ref locked")
  // The branch has become symbolic. Moving it now would undo that, and land nothing on the other
  // branch.
  if (ref !== "HEAD" && (await readAlias(repo, ref))) return { kind: "moved" }
  if (!(await isStillCheckedOut(repo, intent))) return { kind: "headMoved" }
  const held = locks.move()
  return {
    kind: "locked",
    move: () => moveLocked(advance, prepared, files),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function moveLocked(
  { repo, intent, world }: Advance,
  ref: PreparedRef,
  index: HeldIndex | undefined,
): Promise<Moved> {
  const { ref: target, checkout, from, to } = intent
  if (checkout !== null) {
    assert(index, "a checkout's index is locked before its branch")
    // A stash or reset in between would revert the files, and the next commit would revert the
    // landing.
    const whileLocked = async () => {
      await world.point("advance: files moved")
      await ref.commit()
    }
    const read = await readTree(checkout, { from, to }, { held: index, whileLocked })
    assert(read.kind !== "locked", "we hold the index's lock")
    if (read.kind === "refused") return { kind: "refused", said: firstLine(read.stderr) }
    index[Symbol.dispose]() // otherwise a crash after the record would leave the lock
    await world.point("advance: ref moved")
    return { kind: "advanced" }
  }
  const underWay = listUnderWay(repo)
  await ref.commit()
  await world.point("advance: ref moved")
  await updateLateCheckout(repo, { target, from, to }, underWay)
  return { kind: "advanced" }
}

/** HEAD may have moved since our check. From now on git holds its lock if HEAD is at `ref`. */
async function isStillCheckedOut(repo: string, { ref, checkout }: Intent): Promise<boolean> {
  if (checkout === null)
    return isCheckedOutNowhere(repo, ref) || !(await listWorktrees(repo)).some(isCheckoutOf(ref))
  const head = await readHead(checkout)
  return head.kind === "branch" ? head.ref === ref : ref === "HEAD"
}

const isCheckoutOf =
  (ref: RefName) =>
  ({ branch, bare, prunable }: Worktree): boolean =>
    branch === ref && !bare && !prunable

const firstLine = (text: string): string => text.trim().split("\n", 1).join("")

const helper = (pid: number): Helper => ({
  pid,
  identity: readIdentity(pid) ?? "gone",
  startedAtMs: Date.now(),
})
