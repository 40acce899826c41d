/** Lists claimed entries of a pool whose task is over or gone. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { COLUMNS, type PoolEntry, type PoolKey } from "./row.ts"

/** An unfinished task may be about to record its worktree. */
const LIST = `
  select ${COLUMNS} from pool_entries
  where repo = :repo and folder = :folder and state = 'claimed'
    and path not in (select worktree from task_repos where worktree is not null)
    and not exists (
      select 1 from tasks
      where id = pool_entries.task and state not in ('complete', 'cancelled'))
  order by path`

export function listAbandoned(db: Db, { repo, folder }: PoolKey): PoolEntry[] {
  return sql(db, LIST).list({ repo, folder }) as PoolEntry[]
}
