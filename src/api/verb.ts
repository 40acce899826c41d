/** The shape of an agent's verb: its row is in api/wire/verbs.ts. */

import type { TaskId } from "../base/ids.ts"
import { DaemonError } from "../kernel/errors.ts"
import type { Task } from "../kernel/tasks/rows/row.ts"
import type { Fleet } from "./fleet.ts"
import type { VerbAnswer, VerbGiven, VerbName } from "./wire/verbs.ts"

export type VerbRequest<Input = unknown> = {
  readonly fleet: Fleet
  /** The calling agent's task. */
  readonly id: TaskId
  /** The task as it is now. Frequent verbs need only its id. */
  readTask(): Task
  readonly input: Input
  /** A signal that aborts when the client has gone. */
  untilGone(): AbortSignal
}

export type Verb<Name extends VerbName> = (
  request: VerbRequest<VerbGiven<Name>>,
) => Promise<VerbAnswer<Name>>

export type Verbs = { readonly [Name in VerbName]: Verb<Name> }

/** Refuses verbs that need an open turn. */
export function turnIsOver(): DaemonError {
  return new DaemonError("turn.over", "Your turn has ended, so this command was ignored.", [
    "Stop now.",
  ])
}
