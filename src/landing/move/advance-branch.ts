/**
 * Moves a branch together with its checkout: a target, or for the gate the task's own.
 *
 * The index is locked first, as by git's own commands, so that a user's fails before it has begun.
 * Then the ref is (`update-ref` prepared), before the files move, and commits after, so that the
 * user's own commit fails cleanly meanwhile and never reverts the landing. It is the one effect
 * that git cannot repeat by itself: its intent, with the process that may leave locks behind, is on
 * record before anything can change. mend-advance.ts puts right what was cut off. Lock and move are
 * two steps, so that several targets are all locked before the first of them moves.
 */
import { assert } from "../../core/assert.ts"
import type { Oid, RefName } from "../../core/ids.ts"
import type { World } from "../../core/world.ts"
import { type HeldIndex, holdIndex } from "../../git/index/own-index.ts"
import { readTree } from "../../git/index/read-tree.ts"
import { readAlias, readHead } from "../../git/refs/head.ts"
import { isNowhere } from "../../git/refs/heads.ts"
import { type PreparedRef, prepareRef } from "../../git/refs/update-ref.ts"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { listWorktrees, type Worktree } from "../../git/worktrees/worktree-list.ts"
import { readIdentity } from "../../process/identity.ts"
import { bringAlong, listUnderWay } from "./bring-along.ts"

/** A child of ours that may have left locks behind; `identity` tells it from a later process. */
export type Helper = {
  readonly pid: number
  readonly identity: string
  /** By the clock that file times are of. */
  readonly startedAtMs: number
}

export type Intent = {
  /** A branch, or HEAD where that is detached. */
  readonly ref: RefName
  /** The worktree that it is checked out in; null when in none. */
  readonly checkout: string | null
  readonly from: Oid
  readonly to: Oid
  /** `git update-ref`, holding the ref's lock and HEAD's. */
  readonly locker?: Helper
  /** What was cut off is being taken back. */
  readonly mending?: true
}

export type Advance = {
  readonly repo: string
  readonly intent: Intent
  readonly reason: string
  readonly world: Pick<World, "point">
  /** Puts the intent on record, at once. */
  record(intent: Intent): void
}

/** The ref is locked, and was looked at: only {@link move} is left to do. Disposed, it lets go. */
export type LockedBranch = AsyncDisposable & {
  readonly kind: "locked"
  /** @throws {GitError} when git died in the middle: mend. */
  move(): Promise<Moved>
}
/** Nothing changed. */
export type Unlockable = { readonly kind: "moved" | "refLocked" | "headMoved" | "indexLocked" }

export type Moved =
  | { readonly kind: "advanced" }
  /** git did not move the files, or only some of them: mend. */
  | { readonly kind: "refused"; readonly said: string }

/** Locks and moves at once. @throws {GitError} when git died in the middle: mend. */
export async function advanceBranch(advance: Advance): Promise<Moved | Unlockable> {
  const locked = await lockBranch(advance)
  if (locked.kind !== "locked") return locked
  await using branch = locked
  return await branch.move()
}

/** From here on nobody else moves the branch. @throws {GitError} when git died: mend. */
export async function lockBranch(advance: Advance): Promise<LockedBranch | Unlockable> {
  const { repo, intent, reason, world } = advance
  const { ref, checkout, from, to } = intent
  const dir = checkout === null ? undefined : await gitDir(checkout)
  await using locks = new AsyncDisposableStack()
  let index = undefined as ReturnType<typeof holdIndex> | undefined
  const onPid = (pid: number) => {
    advance.record({ ...intent, locker: helper(pid) })
    if (dir === undefined || index) return
    index = holdIndex(dir)
    if (index.kind === "held") locks.use(index)
  }
  const prepared = await prepareRef(checkout ?? repo, { ref, from, to, reason }, { onPid })
  if (prepared.kind === "stale") return { kind: "moved" }
  if (prepared.kind === "prepared") locks.use(prepared)
  if (index?.kind === "locked") return { kind: "indexLocked" }
  if (prepared.kind !== "prepared") return { kind: "refLocked" }
  const files = index
  await world.point("advance: ref locked")
  // Somebody made it stand for another branch: to move it now would undo that, and land nothing there.
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
    // A stash or reset in between would take the files back, and the next commit the landing.
    const whileLocked = async () => {
      await world.point("advance: files moved")
      await ref.commit()
    }
    const read = await readTree(checkout, { from, to }, { held: index, whileLocked })
    assert(read.kind !== "locked", "we hold the index's lock")
    if (read.kind === "refused") return { kind: "refused", said: firstLine(read.stderr) }
    index[Symbol.dispose]() // or a death leaves it behind when this one's move is over, on record
    await world.point("advance: ref moved")
    return { kind: "advanced" }
  }
  const underWay = listUnderWay(repo)
  await ref.commit()
  await world.point("advance: ref moved")
  await bringAlong(repo, { target, from, to }, underWay)
  return { kind: "advanced" }
}

/** HEAD may have moved since it was looked at; from now on git holds its lock where it is `ref`. */
async function isStillCheckedOut(repo: string, { ref, checkout }: Intent): Promise<boolean> {
  if (checkout === null)
    return isNowhere(repo, ref) || !(await listWorktrees(repo)).some(isCheckoutOf(ref))
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
