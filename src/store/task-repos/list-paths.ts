/** Lists the repositories of all recorded tasks. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const LIST = "select distinct path from task_repos order by path"

/** Main worktrees, or bare directories; real paths. Some may be gone. */
export function listRepoPaths(db: Db): string[] {
  return sql(db, LIST)
    .list()
    .map(({ path }) => path as string)
}
