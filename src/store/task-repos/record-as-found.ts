/** Records the content of a static folder before its task's agent works there. */
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = `
  update task_repos set base = :base, as_found = :asFound
  where task = :task and name = :name and base is null`

export type AsFound = {
  /** The commit of HEAD. */
  readonly base: Oid
  /** The tree of the files; null if there are too many files to read. */
  readonly asFound: Oid | null
}

/** Only once: a later job of the task finds the task's own changes. */
export function recordAsFound(db: Db, { task, name, base, asFound }: TaskRepoKey & AsFound): void {
  sql(db, RECORD).run({ task, name, base, asFound })
}
