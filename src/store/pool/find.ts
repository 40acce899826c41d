/** Finds the entry of a pool at a path. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { COLUMNS, type PoolEntry } from "./row.ts"

export function findPoolEntry(db: Db, path: string): PoolEntry | undefined {
  const found = sql(db, `select ${COLUMNS} from pool_entries where path = :path`).find({ path })
  return found as PoolEntry | undefined
}
