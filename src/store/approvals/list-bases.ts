/** Lists the commits that an approval has as its base. */
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Approval } from "./row.ts"

const LIST = `
  select base from approvals
  where task = :task and name = :name and head = :head order by at, base`

/** The base of every approval of `head`; empty without an approval. */
export function listApprovedBases(
  db: Db,
  { task, name, head }: Pick<Approval, "task" | "name" | "head">,
): Oid[] {
  return sql(db, LIST)
    .list({ task, name, head })
    .map(({ base }) => base as Oid)
}
