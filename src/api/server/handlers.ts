/** The handlers of the routes that belong to no feature, for tasks, their landings and their logs. */

import { AppError } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { ConfigError } from "../../config/errors.ts"
import { keepFiles, sweepFiles } from "../../features/files/keep-files.ts"
import { untilStored } from "../../kernel/store/wait-until.ts"
import { answer } from "../../kernel/tasks/actions/answer.ts"
import { approve } from "../../kernel/tasks/actions/approve.ts"
import { cancel } from "../../kernel/tasks/actions/cancel.ts"
import { createTask } from "../../kernel/tasks/actions/create-task.ts"
import { diff } from "../../kernel/tasks/actions/diff.ts"
import { findTaskAgain, findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { pause, remove } from "../../kernel/tasks/actions/halt-landing.ts"
import { land } from "../../kernel/tasks/actions/land.ts"
import { moveInQueue } from "../../kernel/tasks/actions/move-in-queue.ts"
import { reject } from "../../kernel/tasks/actions/reject.ts"
import { restart } from "../../kernel/tasks/actions/restart.ts"
import { resume } from "../../kernel/tasks/actions/resume.ts"
import { say, sayNow } from "../../kernel/tasks/actions/say.ts"
import { withUncommitted } from "../../kernel/tasks/actions/task-defaults.ts"
import { findDeletionFailure } from "../../kernel/tasks/rows/deletion.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listTurns } from "../../kernel/tasks/rows/turns/find.ts"
import { liveWorkDocument } from "../documents/live-work.ts"
import { questionsDocument, turnsDocument } from "../documents/row-documents.ts"
import { currentTaskDocument, taskDocument, taskDocuments } from "../documents/task-document.ts"
import { taskFacts } from "../documents/task-facts.ts"
import { taskLines } from "../documents/task-lines.ts"
import { queueDocument, whyDocument } from "../documents/why-document.ts"
import type { Fleet } from "../fleet.ts"
import { acting, type Handlers, retried } from "../handler.ts"
import type { Answer, Given } from "../wire/routes.ts"
import { listEventPage, listLogPage } from "./event-pages.ts"

export const HANDLERS: Partial<Handlers> = {
  create: async ({ fleet, given, key }) => {
    const { task, taken } = await createTask(fleet, given, { key })
    return { task: taskDocument(fleet, task), taken: await withUncommitted(taken, task) }
  },
  list: ({ fleet }) => taskDocuments(fleet),
  listLines: ({ fleet, given }) => ({
    ...taskLines(fleet, { ...given, ids: given.ids?.split(",").map((id) => Number(id) as TaskId) }),
    ...mistakesIn(fleet),
  }),
  liveWork: ({ fleet }) => liveWorkDocument(fleet),
  show: ({ fleet, ref }) => currentTaskDocument(fleet, findTaskByRef(fleet, ref)),
  why: ({ fleet, ref }) => whyDocument(fleet, findTaskByRef(fleet, ref)),
  diff: ({ fleet, ref, given }) => diff(fleet, findTaskByRef(fleet, ref), given),
  facts: ({ fleet, ref, given }) =>
    taskFacts(fleet, findTaskByRef(fleet, ref), given.sizes === true),
  questions: ({ fleet, ref }) => questionsDocument(fleet.db, findTaskByRef(fleet, ref).id),
  answer: acting(answer),
  approve: acting(approve),
  reject: acting(reject),
  say: acting((fleet, task, given) =>
    (given.now ? sayNow : say)(fleet, task, given, () =>
      keepFiles(fleet, { task: task.id, files: given.files ?? [], byAgent: false }),
    ),
  ),
  pause: acting(pause),
  resume: acting(resume),
  restart: acting(async (fleet, task, given) => {
    await fleet.sources.readAgain(task)
    await restart(fleet, findTaskAgain(fleet, task), given)
  }),
  cancel: acting(cancel),
  landTask: acting(land),
  delete: ({ fleet, ref, given }) => deleteTask(fleet, retried(fleet, ref), given),
  turns: ({ fleet, ref }) => turnsDocument(listTurns(fleet.db, findTaskByRef(fleet, ref).id)),
  log: ({ fleet, ref, given }) => ({ lines: listLogPage(fleet, ref, given) }),
  events: ({ fleet, given }) => ({ events: listEventPage(fleet, given) }),

  queue: ({ fleet }) => queueDocument(fleet),
  moveInQueue: ({ fleet, ref, given }) => {
    moveInQueue(fleet, ref, given)
    return queueDocument(fleet)
  },
}

/** Removing a large worktree takes a while; beyond this it goes on, and the answer says so. */
const DELETION_MS_MAX = 30_000

/** The task as it last was, and the result of its deletion. */
async function deleteTask(
  fleet: Fleet,
  task: Task,
  how: Given<"delete">,
): Promise<Answer<"delete">> {
  const { db } = fleet
  const before = await currentTaskDocument(fleet, task)
  remove(fleet, task, how)
  const look = () => (findTask(db, task.id)?.deletion ? "pending" : "over")
  await untilStored(db, look, AbortSignal.timeout(DELETION_MS_MAX))
  const left = findTask(db, task.id)
  sweepFiles(fleet)
  if (!left) return { ...before, deletion: { state: "done", reason: null } }
  const document = await currentTaskDocument(fleet, left)
  if (left.deletion !== null) return document
  return { ...document, deletion: { state: "failed", reason: findDeletionFailure(db, left) } }
}

/** The mistakes in coppice.yml, which a list shows: the next task will be refused. */
function mistakesIn(fleet: Fleet): { readonly config?: string } {
  try {
    fleet.checkedConfig()
    return {}
  } catch (error) {
    if (error instanceof ConfigError) return { config: error.message }
    if (error instanceof AppError) return {}
    throw error
  }
}
