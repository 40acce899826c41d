/** Records the push of a landing's target to its remote. */
import { assert } from "../../../base/assert.ts"
import type { LandingId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import type { LandingRepo } from "./row.ts"

const RECORD_PUSH = `
  update landing_repos set receipt = :receipt, pushed = :pushed where landing = :id and name = :name`

/** Records the receipt of a push before it begins, and that the remote has it. */
export function recordPush(
  db: Db,
  { id }: { readonly id: LandingId },
  { name, receipt, pushed }: Pick<LandingRepo, "name" | "receipt" | "pushed">,
): void {
  const changed = sql(db, RECORD_PUSH).run({ id, name, receipt, pushed: pushed ? 1 : 0 })
  assert(changed === 1, "the pushed repository belongs to its landing")
}
