/** Finds the task that a person means. */
import { assert } from "../../../base/assert.ts"
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { findTask } from "./find.ts"
import type { Task } from "./row.ts"

export type Resolved =
  | { readonly kind: "found"; readonly task: Task }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly ids: readonly TaskId[] }

const IS_ID = /^\d+$/
const OF_ID = "select id from tasks where cast(id as text) = :ref"
const OF_NAME = "select id from tasks where work_item = :ref or title = :ref"
const OF_BEGINNING = "select id from tasks where substr(title, 1, length(:ref)) = :ref"
const OF_BRANCH = "select task as id from task_repos where branch = :ref"

/**
 * A number is an id and nothing else: after the task was deleted, its id must not mean a task whose
 * name begins with that number. A name matches every task that it fits. So an agent that renames its
 * branch to another task's name only makes the name ambiguous.
 *
 * @param ref a task's id, branch, work item, title, or the beginning of its title.
 */
export function resolveTask(db: Db, ref: string): Resolved {
  if (ref === "") return { kind: "none" } // an empty word begins every title
  const list = (query: string) => sql(db, query).list({ ref })
  const listNamed = () => {
    const named = list(OF_NAME)
    return [...(named.length > 0 ? named : list(OF_BEGINNING)), ...list(OF_BRANCH)]
  }
  const meant = IS_ID.test(ref) ? list(OF_ID) : listNamed()
  const ids = [...new Set(meant.map(({ id }) => id as TaskId))].sort((one, other) => one - other)
  if (ids.length > 1) return { kind: "ambiguous", ids }
  return ids.length === 1 ? found(db, ids[0]!) : { kind: "none" }
}

/** The other tasks with exactly this id, work item or title. */
export function listCalled(db: Db, name: string, except: TaskId): readonly TaskId[] {
  const rows = sql(db, `${OF_NAME} union ${OF_ID} order by id`).list({ ref: name })
  return rows.map(({ id }) => id as TaskId).filter((id) => id !== except)
}

function found(db: Db, id: TaskId): Resolved {
  const task = findTask(db, id)
  assert(task, "a task that was selected is there")
  return { kind: "found", task }
}
