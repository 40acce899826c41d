/** Forgets a process that has ended. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function removeProcess(db: Db, pid: number): void {
  sql(db, "delete from processes where pid = :pid").run({ pid })
}
