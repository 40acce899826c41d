/** Lists the ports that a task has, by repository. */
import type { TaskId } from "../../core/ids.ts"
import type { PortBlock } from "../../core/ports.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const LIST = `
  select name, min(port) as first, count(*) as count from leased_ports
  where task = :task group by name`

export function listPorts(db: Db, task: TaskId): ReadonlyMap<string, PortBlock> {
  const rows = sql(db, LIST).list({ task }) as (PortBlock & { readonly name: string })[]
  return new Map(rows.map(({ name, first, count }) => [name, { first, count }]))
}
