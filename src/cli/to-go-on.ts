/** What a person can do for a task that needs one, or whose work was kept for one. */
import type { Client } from "../client/client.ts"
import type { TaskDocument } from "../core/wire.ts"
import { oneLine } from "./format/text.ts"

/** @returns the lines, an empty one first; none where nobody is needed. */
export async function toGoOn(
  client: Client,
  { id, attention, state, landing }: Pick<TaskDocument, "id" | "attention" | "state" | "landing">,
): Promise<string[]> {
  const isKept = state === "complete" && landing === null
  const { unblock } = attention || isKept ? await client.why(id) : { unblock: null }
  return unblock ? ["", `To go on: ${oneLine(unblock)}`] : []
}
