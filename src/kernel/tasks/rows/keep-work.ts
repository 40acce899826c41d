/** Keeps a task's work on its branch, as with `--land none`. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** A person may land it later. */
export function keepWork(db: Db, id: TaskId): void {
  sql(db, "update tasks set land = 'none' where id = :id").run({ id })
}
