/** The process in which a person has a task's conversation. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import type { Task } from "./row.ts"

/** Looks at such a process, which the kernel does not know more of. */
export type Attachments = {
  /** @returns the pid of the person's program that has the conversation now; undefined: none has. */
  findAttached(attached: NonNullable<Task["attached"]>): number | undefined
}

/** Records the process in which a person has a task's conversation, or that there is none. */
export function setAttached(db: Db, id: TaskId, attached: Task["attached"]): void {
  const json = attached === null ? null : JSON.stringify(attached)
  sql(db, "update tasks set attached = :json where id = :id").run({ id, json })
}

const ALL = "select id from tasks where attached is not null order by id"
const LIST = `
  select attached from tasks
  where work_item = :workItem and agent = :agent and attached is not null`

/** Lists the tasks with an attached person, as last recorded. */
export function listAttachedTasks(db: Db): TaskId[] {
  return sql(db, ALL)
    .list()
    .map(({ id }) => id as TaskId)
}

/** The processes that have the conversation of an agent on a work item. */
export function listAttached(
  db: Db,
  of: { readonly agent: string; readonly workItem: string },
): NonNullable<Task["attached"]>[] {
  return sql(db, LIST)
    .list(of)
    .map(({ attached }) => JSON.parse(attached as string))
}
