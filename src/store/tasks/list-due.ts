/** Lists the tasks that the jobs loop has something to do for. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type DueTask = {
  readonly id: TaskId
  /** `run`: a turn is due. `clean`: a cancelled task still has a worktree. */
  readonly due: "run" | "clean"
}

/** Says that a worktree could not be removed without losing something: a person looks at it now. */
export const KEPT_EVENT = "workspace.kept"

/** Turns of work that is under way go before new tasks; then first come, first served. */
const LIST = `
  select id, case state when 'cancelled' then 'clean' else 'run' end as due
  from tasks
  where state = 'registered'
    or (state = 'working' and exists (select 1 from turns where task = id and ended_at is null))
    or (state = 'cancelled'
      and exists (select 1 from task_repos where task = id and worktree is not null)
      and not exists (select 1 from events where task = tasks.id and type = '${KEPT_EVENT}'))
  order by state = 'registered', id`

export function listDueTasks(db: Db): DueTask[] {
  return sql(db, LIST).list() as DueTask[]
}
