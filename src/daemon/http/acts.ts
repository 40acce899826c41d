/** The actions of a person on a task, keyed by the last word of their route. */

import type { Action } from "../../core/transitions.ts"
import { NewAnswer } from "../../core/wire/agent.ts"
import { type AttachDocument, ToAttach } from "../../core/wire/documents.ts"
import {
  Deletion,
  NewApproval,
  Rejection,
  SaidWords,
  type TaskDocument,
  Words,
} from "../../core/wire.ts"
import { findDeletionFailure } from "../../store/tasks/deletion.ts"
import { findTask } from "../../store/tasks/find.ts"
import type { Task } from "../../store/tasks/row.ts"
import { untilStored } from "../../store/until.ts"
import { answer } from "../actions/answer.ts"
import { approve } from "../actions/approve.ts"
import { attach, detach } from "../actions/attach.ts"
import { refuseAttached } from "../actions/attached.ts"
import { cancel } from "../actions/cancel.ts"
import { remove } from "../actions/delete.ts"
import { land } from "../actions/land.ts"
import { pause } from "../actions/pause.ts"
import { reject } from "../actions/reject.ts"
import { restart } from "../actions/restart.ts"
import { resume } from "../actions/resume.ts"
import { say } from "../actions/say.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { currentTaskDocument } from "../task-document.ts"
import { parse } from "./parse.ts"

type Answer = TaskDocument | AttachDocument
type Act = (fleet: Fleet, task: Task, body: unknown) => Promise<Answer>

/** Removing a large worktree takes a while; beyond this it goes on, and the answer says so. */
const DELETION_MS_MAX = 30_000

export const ACTS: Readonly<Record<Action | "answer" | "attach" | "detach", Act>> = {
  approve: acting((fleet, task, body) =>
    approve(fleet, task, parse(NewApproval, "approval", body)),
  ),
  reject: acting((fleet, task, body) => reject(fleet, task, parse(Rejection, "rejection", body))),
  say: acting((fleet, task, body) => say(fleet, task, parse(SaidWords, "words", body))),
  resume: acting((fleet, task, body) => resume(fleet, task, parse(Words, "words", body))),
  restart: acting((fleet, task, body) => restart(fleet, task, parse(Words, "words", body))),
  answer: acting((fleet, task, body) => answer(fleet, task, parse(NewAnswer, "answer", body))),
  pause: acting(pause),
  cancel: acting(cancel),
  land: acting(land),
  delete: (fleet, task, body) => deleteAct(fleet, task, parse(Deletion, "request", body)),
  attach: async (fleet, task, body) => {
    refuseBusy(task, "attached to")
    const request = parse(ToAttach, "request", body)
    return await attach(fleet, task, request)
  },
  detach: async (fleet, task, body) => {
    detach(fleet, task, parse(ToAttach, "request", body))
    return await currentTaskDocument(fleet, findTask(fleet.db, task.id) ?? task)
  },
}

type Change = (fleet: Fleet, task: Task, body: unknown) => void | Promise<void>

/** Acts, and answers with the task's new state. */
function acting(act: Change): Act {
  return async (fleet, task, body) => {
    refuseBusy(task, "changed")
    await act(fleet, task, body)
    return await currentTaskDocument(fleet, findTask(fleet.db, task.id) ?? task)
  }
}

/** @throws {DaemonError} `task.refused` (user) */
function refuseBusy(task: Task, participle: string): void {
  refuseAttached(task, participle)
  if (task.deletion === null) return
  throw new DaemonError("task.refused", `Task ${task.id} is being deleted.`, [
    "`coppice ls` shows when that has ended.",
  ])
}

/** The task as it last was, and the result of its deletion. */
async function deleteAct(fleet: Fleet, task: Task, how: Deletion): Promise<TaskDocument> {
  const { db } = fleet
  const before = await currentTaskDocument(fleet, task)
  remove(fleet, task, how)
  const look = () => (findTask(db, task.id)?.deletion ? "pending" : "over")
  await untilStored(db, look, AbortSignal.timeout(DELETION_MS_MAX))
  const left = findTask(db, task.id)
  if (!left) return { ...before, deletion: { state: "done", reason: null } }
  const document = await currentTaskDocument(fleet, left)
  if (left.deletion !== null) return document
  return { ...document, deletion: { state: "failed", reason: findDeletionFailure(db, left) } }
}
