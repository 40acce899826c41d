/** Records the address of the remote to which a task's target is pushed. */
import { assert } from "../../../../base/assert.ts"
import type { Db } from "../../../store/open.ts"
import { sql } from "../../../store/sql.ts"
import type { TaskRepoKey } from "./work.ts"

const RECORD_ADDRESS =
  "update task_repos set address = :address where task = :task and name = :name"

/** @param led `address`: a hash, because an address may hold a password. */
export function recordAddress(db: Db, led: TaskRepoKey & { readonly address: string }): void {
  const { task, name, address } = led
  const changed = sql(db, RECORD_ADDRESS).run({ task, name, address })
  assert(changed === 1, "an address belongs to a repository of its task")
}
