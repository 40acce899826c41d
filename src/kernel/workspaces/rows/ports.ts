/** Blocks of ports, each leased to a worktree. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { PortBlock } from "../rules/ports.ts"

type Holder = { readonly task: TaskId; readonly name: string }

/** A finished task without a worktree, such as one in a static folder, needs no ports. */
const RELEASE = `
  delete from leased_ports where exists (
    select 1 from task_repos repo join tasks on tasks.id = repo.task
    where repo.task = leased_ports.task and repo.name = leased_ports.name
      and repo.worktree is null and tasks.state in ('complete', 'cancelled'))`
const FIND = "select port from leased_ports where port >= :first and port < :end limit 1"
const LEASE = "insert into leased_ports (port, task, name) values (:port, :task, :name)"

/** @returns false, and leases none, if one of them is leased already. */
export function leasePorts(db: Db, { task, name }: Holder, block: PortBlock): boolean {
  const end = block.first + block.count
  return transaction(db, () => {
    sql(db, RELEASE).run()
    if (sql(db, FIND).find({ first: block.first, end })) return false
    for (let port = block.first; port < end; port++) sql(db, LEASE).run({ port, task, name })
    return true
  })
}

const LIST = `
  select name, min(port) as first, count(*) as count from leased_ports
  where task = :task group by name`

export function listPorts(db: Db, task: TaskId): ReadonlyMap<string, PortBlock> {
  const rows = sql(db, LIST).list({ task }) as (PortBlock & { readonly name: string })[]
  return new Map(rows.map(({ name, first, count }) => [name, { first, count }]))
}

const LIST_ALL = `
  select min(port) as first, count(*) as count from leased_ports group by task, name order by first`

export function listLeasedBlocks(db: Db): readonly PortBlock[] {
  return sql(db, LIST_ALL).list() as unknown as PortBlock[]
}

const RELEASE_ONE = "delete from leased_ports where task = :task and name = :name"

/** Releases the ports that a task has in one of its repositories. Safe to repeat. */
export function releasePorts(db: Db, { task, name }: Holder): void {
  sql(db, RELEASE_ONE).run({ task, name })
}
