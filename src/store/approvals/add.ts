/** Records that a commit may land. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Approval } from "./row.ts"

const ADD = `
  insert into approvals (task, name, head, base, at) values (:task, :name, :head, :base, :nowMs)
  on conflict do nothing`

/** The same commits have one approval, however often it is given. */
export function addApproval(db: Db, { task, name, head, base }: Approval, nowMs: number): void {
  sql(db, ADD).run({ task, name, head, base, nowMs })
}
