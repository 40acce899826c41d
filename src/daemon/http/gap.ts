/**
 * Tells a reader with an old cursor that records after it were deleted by the retention.
 *
 * The notice comes first and carries the number of the cursor, which therefore does not move.
 */
import type { TaskId } from "../../core/ids.ts"
import type { EventDocument, LogLineDocument } from "../../core/wire.ts"
import type { Gap } from "../../store/retention/forgotten.ts"
import { iso } from "../documents.ts"

/** One event, or none if nothing is missing. */
export function eventGapDocuments(gap: Gap | undefined, after: number): EventDocument[] {
  if (!gap) return []
  const { to, atMs } = gap
  return [{ seq: after, at: iso(atMs), type: "events.forgotten", task: null, data: { to } }]
}

export function logGapDocuments(
  gap: Gap | undefined,
  after: number,
  task: TaskId,
): LogLineDocument[] {
  if (!gap) return []
  const text = "The log was deleted, as it was older than maintenance.retention."
  return [{ seq: after, at: iso(gap.atMs), task: String(task), turn: 0, kind: "notice", text }]
}
