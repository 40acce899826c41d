/** Keeps a task's work on its branch, as with `--land none`. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/** A person may land it later. */
export function keepWork(db: Db, id: TaskId): void {
  sql(db, "update tasks set land = 'none' where id = :id").run({ id })
}
