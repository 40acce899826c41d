/** Leases a block of ports to a task in one of its repositories. */
import type { PortBlock } from "../../core/ports.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "../task-repos/key.ts"

/** A finished task without a worktree, such as one in a static folder, needs no ports. */
const RELEASE = `
  delete from leased_ports where exists (
    select 1 from task_repos repo join tasks on tasks.id = repo.task
    where repo.task = leased_ports.task and repo.name = leased_ports.name
      and repo.worktree is null and tasks.state in ('complete', 'cancelled'))`
const FIND = "select port from leased_ports where port >= :first and port < :end limit 1"
const LEASE = "insert into leased_ports (port, task, name) values (:port, :task, :name)"

/** @returns false, and leases none, if one of them is leased already. */
export function leasePorts(db: Db, { task, name }: TaskRepoKey, block: PortBlock): boolean {
  const end = block.first + block.count
  return transaction(db, () => {
    sql(db, RELEASE).run()
    if (sql(db, FIND).find({ first: block.first, end })) return false
    for (let port = block.first; port < end; port++) sql(db, LEASE).run({ port, task, name })
    return true
  })
}
