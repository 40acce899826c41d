/** Leases a block of ports to a task in one of its repositories. */
import type { PortBlock } from "../../core/ports.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "../task-repos/key.ts"

const FIND = "select port from leased_ports where port >= :first and port < :end limit 1"
const LEASE = "insert into leased_ports (port, task, name) values (:port, :task, :name)"

/** @returns false when one of them is leased already; then none is leased now. */
export function leasePorts(db: Db, { task, name }: TaskRepoKey, block: PortBlock): boolean {
  const end = block.first + block.count
  return transaction(db, () => {
    if (sql(db, FIND).find({ first: block.first, end })) return false
    for (let port = block.first; port < end; port++) sql(db, LEASE).run({ port, task, name })
    return true
  })
}
