/** The handlers of the routes, api/wire/routes.ts: one for each that a person's client calls. */

import { AppError } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { ConfigError } from "../../config/errors.ts"
import { describeAlternatives } from "../../features/alternatives/describe.ts"
import { attach, detach } from "../../features/attach/attach.ts"
import { addWorktree } from "../../features/clean-up/add-worktree.ts"
import { beginDemo } from "../../features/demo/begin-demo.ts"
import { fileDocument, filesDocument } from "../../features/files/file-documents.ts"
import { keepFiles, sweepFiles } from "../../features/files/keep-files.ts"
import { idInList, summariseHomes } from "../../features/homes/other-homes.ts"
import { requireEndpoint } from "../../features/hooks/push/endpoint.ts"
import {
  addPushSubscription,
  listPushSubscriptions,
  removePushSubscription,
} from "../../features/hooks/push/rows.ts"
import { pushKeys } from "../../features/hooks/push/send-push.ts"
import { landWork } from "../../features/own-work/land-work.ts"
import { listImportable } from "../../features/own-work/list-importable.ts"
import { createTasks } from "../../features/plan-files/create-tasks.ts"
import { planWork } from "../../features/preview/plan-work.ts"
import { rescueBounds, rescueDocuments, restore } from "../../features/recover/recover.ts"
import { readStats } from "../../features/stats/rows.ts"
import { planUndo, undo } from "../../features/undo/undo.ts"
import { untilStored } from "../../kernel/store/until.ts"
import { answer } from "../../kernel/tasks/actions/answer.ts"
import { approve } from "../../kernel/tasks/actions/approve.ts"
import { cancel } from "../../kernel/tasks/actions/cancel.ts"
import { createTask } from "../../kernel/tasks/actions/create-task.ts"
import { diff } from "../../kernel/tasks/actions/diff.ts"
import { findTaskAgain, findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { pause, remove } from "../../kernel/tasks/actions/halt-landing.ts"
import { land } from "../../kernel/tasks/actions/land.ts"
import { moveInQueue } from "../../kernel/tasks/actions/move-in-queue.ts"
import { refuseBusy } from "../../kernel/tasks/actions/refuse-in-use.ts"
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
import { localDay, questionsDocument, turnsDocument } from "../documents/row-documents.ts"
import { currentTaskDocument, taskDocument, taskDocuments } from "../documents/task-document.ts"
import { taskFacts } from "../documents/task-facts.ts"
import { taskLines } from "../documents/task-lines.ts"
import { queueDocument, whyDocument } from "../documents/why-document.ts"
import type { Fleet } from "../fleet.ts"
import type { Answer, Given, RouteName, SocketName } from "../wire/routes.ts"
import { listEventPage, listLogPage } from "./followed.ts"

type Request<Body> = {
  readonly fleet: Fleet
  /** Empty where the route has no parameter. */
  readonly ref: string
  /** The query or body. */
  readonly given: Body
  /** The client's Idempotency-Key. */
  readonly key: string | undefined
}

type Handler<Body, Result> = (request: Request<Body>) => Result | Promise<Result>

/** The daemon itself answers these: about its own process, and for long requests. */
type OwnName = "status" | "down" | "operation" | "loginLink"
type Handlers = {
  readonly [Name in Exclude<RouteName, SocketName | OwnName>]: Handler<Given<Name>, Answer<Name>>
}

export const HANDLERS: Handlers = {
  homes: ({ fleet }) => summariseHomes(fleet),

  demo: async ({ fleet }) => {
    const { home, loginLink } = await beginDemo(process.env)
    return { ...(await loginLink()), home: idInList(fleet, home) }
  },

  create: async ({ fleet, given, key }) => {
    const { task, taken } = await createTask(fleet, given, { key })
    return { task: taskDocument(fleet, task), taken: await withUncommitted(taken, task) }
  },
  createAll: async ({ fleet, given, key }) => {
    const made = await createTasks(fleet, given, key)
    return { tasks: made.map((task) => taskDocument(fleet, task)) }
  },
  list: ({ fleet }) => taskDocuments(fleet),
  listLines: ({ fleet, given }) => ({
    ...taskLines(fleet, { ...given, ids: given.ids?.split(",").map((id) => Number(id) as TaskId) }),
    ...mistakesIn(fleet),
  }),
  liveWork: ({ fleet }) => liveWorkDocument(fleet),
  show: ({ fleet, ref }) => currentTaskDocument(fleet, findTaskByRef(fleet, ref)),
  alternatives: ({ fleet, ref }) => describeAlternatives(fleet, findTaskByRef(fleet, ref)),
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
  attach: async ({ fleet, ref, given }) => {
    const task = retried(fleet, ref)
    refuseBusy(task, "attached to")
    return await attach(fleet, task, given)
  },
  detach: async ({ fleet, ref, given }) => {
    const task = retried(fleet, ref)
    detach(fleet, task, given)
    return await currentDocument(fleet, task)
  },
  files: ({ fleet, ref }) => filesDocument(fleet, findTaskByRef(fleet, ref).id),
  file: ({ fleet, ref }) => fileDocument(fleet, ref),
  turns: ({ fleet, ref }) => turnsDocument(listTurns(fleet.db, findTaskByRef(fleet, ref).id)),
  log: ({ fleet, ref, given }) => ({ lines: listLogPage(fleet, ref, given) }),
  events: ({ fleet, given }) => ({ events: listEventPage(fleet, given) }),

  stats: ({ fleet, given }) => {
    const sinceMs = given.since === undefined ? undefined : Date.parse(given.since)
    return readStats(fleet.db, { sinceMs, untilMs: fleet.world.nowMs(), dayOf: localDay })
  },
  queue: ({ fleet }) => queueDocument(fleet),
  moveInQueue: ({ fleet, ref, given }) => {
    moveInQueue(fleet, ref, given)
    return queueDocument(fleet)
  },
  sources: ({ fleet }) => fleet.sources.describe(),
  land: async ({ fleet, given }) => {
    const { id, taken } = await landWork(fleet, given)
    return { task: await currentTaskDocument(fleet, findTaskAgain(fleet, { id })), taken }
  },
  listImportable: ({ fleet }) => listImportable(fleet),
  planLanding: ({ fleet, given }) => planWork(fleet, given),
  undo: async ({ fleet, ref, given }) => currentTaskDocument(fleet, await undo(fleet, ref, given)),
  planUndo: ({ fleet, ref }) => planUndo(fleet, ref),
  rescues: async ({ fleet }) => ({
    rescues: await rescueDocuments(fleet),
    bounds: rescueBounds(fleet),
  }),
  restore: ({ fleet, given }) => restore(fleet, given),

  trigger: async ({ fleet, ref, key }) => {
    const { task, taken } = await fleet.schedules.trigger(ref, key)
    return { task: taskDocument(fleet, task), taken: await withUncommitted(taken, task) }
  },
  switchSchedule: ({ fleet, ref, given }) => fleet.schedules.switch(ref, given.enabled),

  push: ({ fleet }) => pushDocument(fleet),
  subscribe: ({ fleet, given }) => {
    requireEndpoint(given.endpoint)
    addPushSubscription(fleet.db, given)
    fleet.hooks.replan()
    return pushDocument(fleet)
  },
  unsubscribe: ({ fleet, given }) => {
    removePushSubscription(fleet.db, given.endpoint)
    fleet.hooks.replan()
    return pushDocument(fleet)
  },

  planGc: ({ fleet }) => fleet.maintenance.plan(),
  gc: ({ fleet }) => fleet.maintenance.collect(),
  worktrees: ({ fleet, given }) => fleet.maintenance.worktrees(given.sizes),
  addWorktree: async ({ fleet, given }) => {
    const { task, created } = await addWorktree(fleet, given)
    return { task: await currentTaskDocument(fleet, task), created }
  },
  removeWorktree: async ({ fleet, ref }) => ({
    items: await fleet.maintenance.remove(findTaskByRef(fleet, ref)),
  }),
  pruneWorktrees: async ({ fleet }) => ({ items: await fleet.maintenance.prune() }),
}

const pushDocument = ({ db }: Fleet) => ({
  key: pushKeys(db).publicKey,
  browsers: listPushSubscriptions(db).length,
})

/** Acts on a task, and answers with its new state. */
function acting<Body>(
  act: (fleet: Fleet, task: Task, given: Body) => void | Promise<void>,
): Handler<Body, Answer<"show">> {
  return async ({ fleet, ref, given }) => {
    const task = retried(fleet, ref)
    refuseBusy(task, "changed")
    await act(fleet, task, given)
    return await currentDocument(fleet, task)
  }
}

/** The task. Its rest after an error ends, because a person acts on it. */
function retried(fleet: Fleet, ref: string): Task {
  const task = findTaskByRef(fleet, ref)
  fleet.retry(task.id)
  return task
}

const currentDocument = (fleet: Fleet, task: Task) =>
  currentTaskDocument(fleet, findTask(fleet.db, task.id) ?? task)

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
