/** Lists in which processes people have the conversation of an agent on a work item, as last noted. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Task } from "./row.ts"

const LIST = `
  select attached from tasks
  where work_item = :workItem and agent = :agent and attached is not null`

export function listAttached(
  db: Db,
  of: { readonly agent: string; readonly workItem: string },
): NonNullable<Task["attached"]>[] {
  return sql(db, LIST)
    .list(of)
    .map(({ attached }) => JSON.parse(attached as string))
}
