/** Lists every block of ports that this home has leased. */
import type { PortBlock } from "../../core/ports.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const LIST = `
  select min(port) as first, count(*) as count from leased_ports group by task, name order by first`

export function listLeasedBlocks(db: Db): readonly PortBlock[] {
  return sql(db, LIST).list() as unknown as PortBlock[]
}
