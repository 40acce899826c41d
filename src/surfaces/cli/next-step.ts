/** Suggests the next step to a person: for a task that needs attention, is paused, has a pull request to merge, or whose work was kept. */
import type { Client } from "../../api/client/client.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { oneLine } from "../../base/text/one-line.ts"

/** @returns the lines, an empty one first; none if no person is needed. */
export async function nextStep(
  client: Client,
  { id, attention, state, landing }: Pick<TaskDocument, "id" | "attention" | "state" | "landing">,
): Promise<string[]> {
  const isKept = state === "complete" && landing === null
  const { unblock } =
    attention || isKept || state === "paused" || state === "pr_ready"
      ? await client.why(id)
      : { unblock: null }
  return unblock ? ["", `Next step: ${oneLine(unblock)}`] : []
}
