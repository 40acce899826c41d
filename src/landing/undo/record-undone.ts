/** Writes down what a landing that takes another one back has changed about earlier ones. */
import type { Oid } from "../../core/ids.ts"
import { findLanding } from "../../store/landings/find.ts"
import type { Landing } from "../../store/landings/row.ts"
import type { Db } from "../../store/open.ts"
import { recordTakenBack } from "../../store/task-repos/record-taken-back.ts"

/**
 * The landing that was undone is off the target. Where that had itself undone one, this one is on
 * it again, and so on back.
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
