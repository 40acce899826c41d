/** Finds the task that works in a static folder of another task. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { IN_USE } from "./valid.ts"

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
