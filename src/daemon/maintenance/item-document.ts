/** Turns one thing that may be cleaned up into the document of the API. */
import type { GcItem } from "../../core/wire/gc.ts"
import type { Db } from "../../store/open.ts"
import { findTask } from "../../store/tasks/find.ts"
import type { PlanItem } from "./item.ts"

/** The result of carrying it out. */
type Came = {
  readonly outcome: GcItem["outcome"]
  readonly note: string | null
  readonly rescued: readonly string[]
}

/** The task's title and state are current; null if it is no longer on record. */
export function itemDocument(
  db: Db,
  { kind, name, task: id, action, why }: PlanItem,
  { outcome, note, rescued }: Came,
): GcItem {
  const { title = null, state = null } = (id === null ? undefined : findTask(db, id)) ?? {}
  const task = { task: id === null ? null : String(id), title, state }
  return { kind, name, ...task, action, why, outcome, note, rescued: [...rescued] }
}
