/** Lists the repositories that any record of the home names. */
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

const LIST_KNOWN = `
  select path from task_repos union select path from landing_repos
  union select repo as path from pool_entries union select repo as path from worktrees
  union select repo as path from trash union select repo as path from seen_rescues`

/** Paths, each once: of tasks, landings, pools, worktrees and rescues. */
export function listKnownRepos(db: Db): string[] {
  return sql(db, LIST_KNOWN)
    .list()
    .map(({ path }) => path as string)
}
