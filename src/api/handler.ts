/** The shape of a route's handler, and what handlers share. Its types come from the table of routes. */

import { findTaskByRef } from "../kernel/tasks/actions/find-task.ts"
import { refuseBusy } from "../kernel/tasks/actions/refuse-in-use.ts"
import { findTask } from "../kernel/tasks/rows/find.ts"
import type { Task } from "../kernel/tasks/rows/row.ts"
import { currentTaskDocument } from "./documents/task-document.ts"
import type { Fleet } from "./fleet.ts"
import type { Answer, Given, RouteName, SocketName } from "./wire/routes.ts"

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
export type Handlers = {
  readonly [Name in Exclude<RouteName, SocketName | OwnName>]: Handler<Given<Name>, Answer<Name>>
}

/** Acts on a task, and answers with its new state. */
export function acting<Body>(
  act: (fleet: Fleet, task: Task, given: Body) => void | Promise<void>,
): Handler<Body, Answer<"show">> {
  return async ({ fleet, ref, given }) => {
    const task = retried(fleet, ref)
    refuseBusy(fleet, task, "changed")
    await act(fleet, task, given)
    return await currentDocument(fleet, task)
  }
}

/** Finds the task, and ends its pause after an error, because a person acts on it. */
export function retried(fleet: Fleet, ref: string): Task {
  const task = findTaskByRef(fleet, ref)
  fleet.retry(task.id)
  return task
}

export const currentDocument = (fleet: Fleet, task: Task) =>
  currentTaskDocument(fleet, findTask(fleet.db, task.id) ?? task)
