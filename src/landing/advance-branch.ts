/**
 * Moves a branch together with its checkout: a target, or for the gate the task's own.
 *
 * The ref is locked (`update-ref` prepared) before the files move and commits after, so that the
 * user's own commit fails cleanly meanwhile and never reverts the landing. It is the one effect
 * that git cannot repeat by itself: its intent, with the process that may leave locks behind, is on
 * record before anything can change. mend-advance.ts puts right what was
 * cut off.
 */
import type { Oid, RefName } from "../core/ids.ts"
import type { World } from "../core/world.ts"
import { readHead } from "../git/head.ts"
import { isNowhere } from "../git/heads.ts"
import { readTree } from "../git/read-tree.ts"
import { prepareRef } from "../git/update-ref.ts"
import { listWorktrees, type Worktree } from "../git/worktree-list.ts"
import { readIdentity } from "../process/identity.ts"

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

export type Advanced =
  | { readonly kind: "advanced" }
  // In these, nothing changed.
  | { readonly kind: "moved" | "refLocked" | "indexLocked" | "headMoved" }
  /** git did not move the files, or only some of them: mend. */
  | { readonly kind: "refused"; readonly said: string }

/** @throws {GitError} when git died in the middle: mend. */
export async function advanceBranch(advance: Advance): Promise<Advanced> {
  const { repo, intent, reason, world } = advance
  const { ref, checkout, from, to } = intent
  const onPid = (pid: number) => advance.record({ ...intent, locker: helper(pid) })
  const prepared = await prepareRef(checkout ?? repo, { ref, from, to, reason }, { onPid })
  if (prepared.kind !== "prepared")
    return { kind: prepared.kind === "stale" ? "moved" : "refLocked" }

  await using locks = prepared
  await world.point("advance: ref locked")
  if (!(await isStillCheckedOut(repo, intent))) return { kind: "headMoved" }
  if (checkout !== null) {
    const read = await readTree(checkout, { from, to })
    if (read.kind === "locked") return { kind: "indexLocked" }
    if (read.kind === "refused") return { kind: "refused", said: firstLine(read.stderr) }
    await world.point("advance: files moved")
  }
  await locks.commit()
  await world.point("advance: ref moved")
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
