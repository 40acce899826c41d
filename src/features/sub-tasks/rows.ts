/**
 * Reports the end of each sub-task to its parent, as a turn.
 *
 * The row of a sub-task says whether its parent knows of the end. One transaction writes that and
 * the message, so a crash neither loses nor repeats one.
 */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { addReport } from "../../kernel/tasks/rows/messages.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { openReplyTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { isAwaited, type Question } from "../../kernel/tasks/rules/question.ts"
import { hasTurns, type TaskState } from "../../kernel/tasks/rules.ts"

const ENDS = "('complete', 'cancelled', 'stuck', 'merge_failed')"
const UNREPORTED = `
  select id from tasks
  where reports = 1 and reported = 0 and state in ${ENDS} and deletion is null order by id`
const RECORD = "update tasks set reported = 1 where id = :id and reports = 1 and reported = 0"
const AWAITED = `
  select id from tasks where parent = :task and reports = 1 and reported = 0 order by id`
const AWAITED_PROPOSALS = `
  select id from questions
  where task = :task and kind = 'proposal' and answer is null and closed_at is null
    and json_extract(subject, '$.report') = 1 order by id`

/** Sub-tasks that have ended, or stopped, and whose parents do not know it. */
export function listUnreported(db: Db): TaskId[] {
  return sql(db, UNREPORTED)
    .list()
    .map(({ id }) => id as TaskId)
}

/** Tells the parent that its sub-task has ended, unless the parent knows it or is over itself. */
export function reportEnd(
  db: Db,
  child: Pick<Task, "id" | "parent">,
  text: string,
  nowMs: number,
): void {
  transaction(db, () => {
    if (sql(db, RECORD).run({ id: child.id }) === 0 || child.parent === null) return
    report(db, child.parent, text, nowMs)
  })
}

const OVER: readonly TaskState[] = ["complete", "cancelled"]

/** The next turn of the task, or part of it. */
export function report(db: Db, id: TaskId, text: string, nowMs: number): void {
  transaction(db, () => {
    const task = findTask(db, id)
    if (!task || OVER.includes(task.state)) return
    addReport(db, { task: id, text }, nowMs)
    if (hasTurns(task.state)) openReplyTurn(db, id, nowMs)
  })
}

/** Whether a task lands later, since it waits for sub-tasks. */
export function awaitsSubTasks(db: Db, task: TaskId): boolean {
  const { tasks, proposals } = listAwaited(db, task)
  return tasks.length + proposals.length > 0
}

/** The sub-tasks that a task waits for before it lands, and its open proposals of some. */
export function listAwaited(db: Db, task: TaskId) {
  const list = (text: string) =>
    sql(db, text)
      .list({ task })
      .map(({ id }) => id as number)
  return { tasks: list(AWAITED) as TaskId[], proposals: list(AWAITED_PROPOSALS) }
}

/** `isOnly`: the task that asks has no other open question. */
export type AskedBelow = Question & { readonly isOnly: boolean }

/**
 * A question that must be answered before a task goes on: of a sub-task that it waits for, or of a task
 * that this one waits for.
 */
export function findAwaitedBelow(db: Db, task: TaskId): AskedBelow | undefined {
  for (const below of listAwaited(db, task).tasks) {
    const open = listOpenQuestions(db, below)
    const { proposals } = listAwaited(db, below)
    const found = open.find((one) => isAwaited(one) || proposals.includes(one.id))
    if (found) return { ...found, isOnly: open.length === 1 }
    const deeper = findAwaitedBelow(db, below)
    if (deeper) return deeper
  }
  return undefined
}
