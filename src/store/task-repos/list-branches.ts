/** Lists the branches of a repository with unlanded work of tasks. */
import type { Oid, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type TaskBranch = {
  readonly task: TaskId
  readonly branch: string
  /** The commit that the task's work begins at, if known. */
  readonly base: Oid | null
}

const LIST = `
  select task, branch, base from task_repos
  where path = :path and branch is not null and merge_tip is null
  order by task desc`

export function listBranches(db: Db, path: string): TaskBranch[] {
  return sql(db, LIST)
    .list({ path })
    .map(({ task, branch, base }) => ({
      task: task as TaskId,
      branch: branch as string,
      base: base as Oid | null,
    }))
}

const OF_HEAD = `
  select landings.task from landing_repos join landings on landings.id = landing_repos.landing
  where path = :path and head = :commit
  order by landings.id desc
  limit 1`

/** The task whose landing had this commit as its head; its branch may be gone by now. */
export function findTaskOfHead(db: Db, path: string, commit: Oid): TaskId | undefined {
  return sql(db, OF_HEAD).find({ path, commit })?.["task"] as TaskId | undefined
}
