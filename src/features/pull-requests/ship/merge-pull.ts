/**
 * Asks the forge to merge a pull request that is ready. If the target has a merge queue, it asks for a
 * place there.
 *
 * The forge says whether the pull request is merged, queued or thrown out. The row keeps the head that we
 * queued, and the latest removal before that, so that we do not mistake an older removal for a new one.
 */

import type { Oid } from "../../../base/ids.ts"
import type { MergeMethod } from "../../../config/config.ts"
import type { Rows, Step } from "../../../kernel/landing/action.ts"
import { type QueuedHead, recordPull } from "../rows.ts"
import type { Queue, QueueRemoval } from "../rules.ts"
import type { OpenPull } from "./hand-back-pull.ts"

export type MergeAsked =
  | { readonly kind: "merged" }
  /** `problem`: why not, for a person. */
  | { readonly kind: "waits"; readonly problem: string }
  | { readonly kind: "thrownOut"; readonly removal: QueueRemoval; readonly commit: Oid | null }

/** Names the head that was approved and checked. After a later commit, the forge refuses it. */
export async function mergePull(
  step: Step<Rows>,
  open: OpenPull,
  method: MergeMethod,
): Promise<MergeAsked> {
  const { pull, forge } = open
  const queue = await forge.findQueue(pull.number)
  if (queue) return await mergeByQueue(step, open, { queue, method })
  const refusal = await forge.merge(pull.number, { method, head: pull.head })
  await step.context.world.point("proposed: merged")
  if (refusal === undefined && (await forge.read(pull.number)).state === "merged")
    return { kind: "merged" }
  return notYet(refusal ?? "the forge shows it as open")
}

const notYet = (why: string) =>
  ({ kind: "waits", problem: `it is not merged yet: ${why}` }) as const

const IN_QUEUE = { kind: "waits", problem: "it is in the forge's merge queue" } as const

async function mergeByQueue(
  step: Step<Rows>,
  { row, pull, forge }: OpenPull,
  { queue, method }: { readonly queue: Queue; readonly method: MergeMethod },
): Promise<MergeAsked> {
  const { db, world } = step.context
  const { head, number } = pull
  const { removal } = queue
  const place = row.queue?.head === head ? row.queue : null
  if (queue.isQueued) {
    const commit = queue.commit ?? place?.commit ?? null
    const seen: QueuedHead = { head, seen: place ? place.seen : (removal?.id ?? null), commit }
    if (place === null || place.commit !== commit) recordPull(db, row, { queue: seen })
    return IN_QUEUE
  }
  if (place !== null && removal !== null && removal.id !== place.seen) {
    if (!removal.isByPerson) return { kind: "thrownOut", removal, commit: place.commit }
    return notYet(`a person took it out of the forge's merge queue, and can put it back there`)
  }
  recordPull(db, row, { queue: { head, seen: removal?.id ?? null, commit: null } })
  await world.point("proposed: queueing")
  const refusal = await forge.enqueue(number, { method, head })
  await world.point("proposed: queued")
  return refusal === undefined ? IN_QUEUE : notYet(refusal)
}
