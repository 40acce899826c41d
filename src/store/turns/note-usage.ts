/** Adds usage to a turn. */
import { addUsage } from "../../core/usage.ts"
import { Usage } from "../../core/wire.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Turn } from "./row.ts"

const READ = "select usage from turns where task = :task and n = :n"
const NOTE = "update turns set usage = :usage where task = :task and n = :n"

/**
 * Also for an ended turn: an agent's `stuck` arrives before the figures of its program.
 *
 * @returns the usage of all tries of the turn so far.
 */
export function noteUsage(db: Db, { task, n }: Pick<Turn, "task" | "n">, usage: Usage): Usage {
  return transaction(db, () => {
    const earlier = sql(db, READ).find({ task, n })?.["usage"]
    const all = earlier ? addUsage(Usage.parse(JSON.parse(String(earlier))), usage) : usage
    sql(db, NOTE).run({ task, n, usage: JSON.stringify(all) })
    return all
  })
}
