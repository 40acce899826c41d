/** Claims the static folders of a task: each takes one task at a time. */
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Task } from "../tasks/row.ts"
import { findFolderUser } from "./find-user.ts"

const CLAIM = `
  insert into folder_leases (path, task) values (:path, :task)
  on conflict (path) do update set task = excluded.task`

/** Safe to repeat. @returns false, and claims none, if another task works in one of them. */
export function claimFolders(db: Db, { id: task, repos }: Pick<Task, "id" | "repos">): boolean {
  return transaction(db, () => {
    if (findFolderUser(db, task) !== undefined) return false
    for (const { path } of repos) sql(db, CLAIM).run({ path, task })
    return true
  })
}
