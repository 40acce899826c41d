/** Forgets every red result, so that the gates run again. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function forgetRed(db: Db): void {
  sql(db, "delete from gate_results where exit_code <> 0").run()
}
