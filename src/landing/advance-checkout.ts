/**
 * Moves a target that is checked out, together with its checkout.
 *
 * The ref is locked (`update-ref` prepared) before the files move and commits after, so that the
 * user's own commit fails cleanly meanwhile and never reverts the landing. It is the one effect
 * that git cannot repeat by itself: its intent, with the processes that may leave locks behind, is
 * on record before anything can change. mend-checkout.ts finishes what was cut off.
 */
import type { Oid, RefName } from "../core/ids.ts"
import { readTree } from "../git/read-tree.ts"
import { prepareRef } from "../git/update-ref.ts"
import { readIdentity } from "../process/identity.ts"

/** A child of ours that may have left a lock behind; `identity` tells it from a later process. */
export type Helper = { readonly pid: number; readonly identity: string }

export type Intent = {
  readonly checkout: string
  readonly from: Oid
  readonly to: Oid
  /** `git update-ref`, holding the ref's lock and HEAD's. */
  readonly locker?: Helper
  /** `git read-tree`, holding the index's lock. */
  readonly reader?: Helper
}

export type Advance = {
  readonly target: RefName
  readonly intent: Intent
  readonly reason: string
  /** Puts the intent on record, at once. */
  record(intent: Intent): void
  /** What moves the files while the ref is locked. Default: git's own two-way merge. */
  moveFiles?(intent: Intent): Promise<FilesMoved>
}

export type FilesMoved = "done" | "refused" | "locked"
export type Advanced = "advanced" | "moved" | "refLocked" | "indexLocked" | "refused"

export async function advanceCheckout(advance: Advance): Promise<Advanced> {
  const { target, record, reason } = advance
  let { intent } = advance
  const { checkout, from, to } = intent
  const onPid = (pid: number) => {
    intent = { ...intent, locker: helper(pid) }
    record(intent)
  }
  const ref = await prepareRef(checkout, { ref: target, from, to, reason }, { onPid })
  if (ref.kind !== "prepared") return ref.kind === "stale" ? "moved" : "refLocked"

  const moveFiles = advance.moveFiles ?? ((start) => readTreeOnRecord(start, record))
  const moved = await moveFiles(intent)
  if (moved === "done") {
    await ref.commit()
    return "advanced"
  }
  await ref.abort()
  return moved === "locked" ? "indexLocked" : "refused"
}

async function readTreeOnRecord(
  intent: Intent,
  record: (intent: Intent) => void,
): Promise<FilesMoved> {
  const { checkout, from, to } = intent
  const onPid = (pid: number) => record({ ...intent, reader: helper(pid) })
  return (await readTree(checkout, { from, to }, { onPid })).kind
}

const helper = (pid: number): Helper => ({ pid, identity: readIdentity(pid) ?? "gone" })
