/** Writes down what is in a folder before its task's agent works there, as it is. */
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = `
  update task_repos set base = :base, as_found = :asFound
  where task = :task and name = :name and base is null`

export type AsFound = {
  /** The commit that HEAD stands at. */
  readonly base: Oid
  /** The tree of the files; null where there is too much to look at. */
  readonly asFound: Oid | null
}

/** Once: what a later job of the task finds is its own. */
export function recordAsFound(db: Db, { task, name, base, asFound }: TaskRepoKey & AsFound): void {
  sql(db, RECORD).run({ task, name, base, asFound })
}
