/**
 * Whether a gate, or set-up before it, has begun in a task's own worktree since the landing last
 * moved that to its candidate.
 */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Landing, LandingRepo } from "./row.ts"

/** Event `gate.started` has a name only where a task has several repositories. */
const LAST = `
  select type <> 'landing.synced' as begun from events
  where task = :task and data ->> 'landing' = :id and (type = 'landing.synced'
    or (type in ('gate.setup_started', 'gate.started') and data ->> 'fresh' is null
      and coalesce(data ->> 'name', :name) = :name))
  order by seq desc limit 1`

export function isGateBegun(
  db: Db,
  { id, task }: Pick<Landing, "id" | "task">,
  { name }: Pick<LandingRepo, "name">,
): boolean {
  return sql(db, LAST).find({ id, task, name })?.["begun"] === 1
}
