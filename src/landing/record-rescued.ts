/** Records the rescues of a landing: event `rescue.made`. */
import { appendEvent } from "../store/events.ts"
import type { TornDown } from "../workspaces/workspace.ts"
import type { Rows, Step } from "./action.ts"

export function recordRescued(
  { context, task }: Step<Rows>,
  rescued: readonly (TornDown["rescued"][number] | undefined)[],
): void {
  for (const { ref, commit, paths } of rescued.filter((rescue) => rescue !== undefined)) {
    const event = { type: "rescue.made", task: task.id, data: { ref, commit, paths } }
    appendEvent(context.db, event, context.world.nowMs())
  }
}
