/** Lists the tasks whose deletion has failed, and is still wanted. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Task } from "./row.ts"

const LIST = `
  select id, deletion_retry as deletion from tasks where deletion_retry is not null order by id`

export type Undeleted = { readonly id: TaskId; readonly deletion: NonNullable<Task["deletion"]> }

export function listUndeleted(db: Db): Undeleted[] {
  return sql(db, LIST).list() as Undeleted[]
}
