/** Names the cancelled tasks whose clean-up rests after an error. */
import type { Db } from "../../store/open.ts"
import { listToClean } from "../../store/tasks/list-due.ts"
import type { Fleet } from "../fleet.ts"

/** @returns a sentence for each, for a person. */
export function restingCleanUps(db: Db, { findRest }: Pick<Fleet, "findRest">): string[] {
  return listToClean(db).flatMap((id) => {
    const rest = findRest(id, undefined)
    const isTried = typeof rest?.retryAtMs === "number"
    return isTried ? [`The clean-up of task ${id}, which was cancelled, fails: ${rest.text}`] : []
  })
}
