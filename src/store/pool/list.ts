/** Lists the worktrees of all pools of the home, ready or not. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { COLUMNS, type PoolEntry, type PoolKey } from "./row.ts"

const LIST = `select ${COLUMNS} from pool_entries order by repo, folder, path`
const LIST_OF = `
  select ${COLUMNS} from pool_entries where repo = :repo and folder = :folder order by path`

export function listPool(db: Db): PoolEntry[] {
  return sql(db, LIST).list() as PoolEntry[]
}

/** Those of one worktrees folder of a repository. */
export function listPoolOf(db: Db, { repo, folder }: PoolKey): PoolEntry[] {
  return sql(db, LIST_OF).list({ repo, folder }) as PoolEntry[]
}
