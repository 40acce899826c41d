/** Records that work was saved under rescue refs. */
import type { Oid, TaskId } from "../../../base/ids.ts"
import type { World } from "../../../base/world.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"

export type Rescued = {
  readonly ref: string
  readonly commit: Oid
  readonly paths: readonly string[]
}

/** Event `rescue.made` for each. @param task null: the work belongs to no task. */
export function recordRescued(
  { db, world }: { readonly db: Db; readonly world: Pick<World, "nowMs"> },
  task: TaskId | null,
  rescued: readonly (Rescued | undefined)[],
): void {
  for (const { ref, commit, paths } of rescued.filter((rescue) => rescue !== undefined)) {
    const data = { ref, commit, paths }
    appendEvent(db, { type: "rescue.made", task, data }, world.nowMs())
  }
}
