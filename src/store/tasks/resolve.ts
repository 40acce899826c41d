/** Finds the task that a person means. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { findTask } from "./find.ts"
import type { Task } from "./row.ts"

export type Resolved =
  | { readonly kind: "found"; readonly task: Task }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly ids: readonly TaskId[] }

/** What a reference may be, in the order in which it is tried; the first that fits anything counts. */
const MEANINGS = [
  "cast(id as text) = :ref",
  "id in (select task from task_repos where branch = :ref)",
  "work_item = :ref",
  "title = :ref",
  "substr(title, 1, length(:ref)) = :ref",
]

/** @param ref a task's id, branch, work item, title, or the beginning of its title. */
export function resolveTask(db: Db, ref: string): Resolved {
  if (ref === "") return { kind: "none" } // every title begins with it
  for (const meaning of MEANINGS) {
    const rows = sql(db, `select id from tasks where ${meaning} order by id`).list({ ref })
    const ids = rows.map((row) => row["id"] as TaskId)
    if (ids.length > 1) return { kind: "ambiguous", ids }
    if (ids.length === 1) return found(db, ids[0]!)
  }
  return { kind: "none" }
}

function found(db: Db, id: TaskId): Resolved {
  const task = findTask(db, id)
  assert(task, "a task that was selected is there")
  return { kind: "found", task }
}
