/** The static folders in use: each by one task at a time. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"

/** A folder is in use while its task works, or has a running process; a person's terminal is none. */
export const IN_USE = `
  (exists (select 1 from tasks user where user.id = folder_leases.task and user.state in ('planning', 'working'))
    or exists (select 1 from processes where processes.task = folder_leases.task
      and processes.purpose <> 'terminal'))`

const CLAIM = `
  insert into folder_leases (path, task) values (:path, :task)
  on conflict (path) do update set task = excluded.task`

/**
 * Claims the static folders of a task: each takes one task at a time.
 *
 * Safe to repeat. @returns false, and claims none, if another task works in one of them.
 */
export function claimFolders(
  db: Db,
  {
    id: task,
    repos,
  }: { readonly id: TaskId; readonly repos: readonly { readonly path: string }[] },
): boolean {
  return transaction(db, () => {
    if (findFolderUser(db, task) !== undefined) return false
    for (const { path } of repos) sql(db, CLAIM).run({ path, task })
    return true
  })
}

const FIND = `
  select folder_leases.task, folder_leases.path from folder_leases
  join task_repos repo on repo.path = folder_leases.path
  where repo.task = :task and folder_leases.task <> :task and ${IN_USE}
  order by folder_leases.task limit 1`

export type FolderUser = { readonly task: TaskId; readonly path: string }

/** Undefined if the folders of this task are free, or already its own. */
export function findFolderUser(db: Db, task: TaskId): FolderUser | undefined {
  return sql(db, FIND).find({ task }) as FolderUser | undefined
}
