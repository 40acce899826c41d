/** Records which earlier landings a revert landing took off or put back on the target. */
import type { Oid } from "../../core/ids.ts"
import { findLanding } from "../../store/landings/find.ts"
import type { Landing } from "../../store/landings/row.ts"
import type { Db } from "../../store/open.ts"
import { recordTakenBack } from "../../store/task-repos/work.ts"

/**
 * The undone landing is off the target. If it had itself undone another, that one is on the target
 * again, and so on.
 *
 * @param undone `tip`: the target's commit from which on it is off.
 */
export function recordUndone(
  db: Db,
  { undoes }: Landing,
  undone: { readonly name: string; readonly tip: Oid },
): void {
  const { name, tip } = undone
  let earlier = undoes === null ? undefined : findLanding(db, undoes)
  for (let isOff = true; earlier; isOff = !isOff) {
    const repo = earlier.repos.find((one) => one.name === name)
    if (!repo) return
    recordTakenBack(db, { task: earlier.task, name, tip: isOff ? tip : null })
    earlier = earlier.undoes === null ? undefined : findLanding(db, earlier.undoes)
  }
}
