/** Records which program holds a conversation, and where it stores it. */
import type { SessionId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = "update sessions set held_by = :heldBy where id = :id and held_by is not :heldBy"

export function recordHolder(db: Db, id: SessionId, heldBy: string): void {
  sql(db, RECORD).run({ id, heldBy })
}
