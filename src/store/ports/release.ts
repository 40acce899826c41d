/** Releases the ports that a task has in one of its repositories. Safe to repeat. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "../task-repos/key.ts"

const RELEASE = "delete from leased_ports where task = :task and name = :name"

export function releasePorts(db: Db, { task, name }: TaskRepoKey): void {
  sql(db, RELEASE).run({ task, name })
}
