/** The handler of every verb. */

import { SCHEMAS } from "../../core/wire/schemas.ts"
import { VERBS, type VerbName } from "../../core/wire/verbs.ts"
import { ask } from "./ask.ts"
import { brief } from "./brief.ts"
import { check } from "./check.ts"
import { done } from "./done.ts"
import { peers } from "./peers.ts"
import { proposeTask } from "./propose-task.ts"
import { rebaseToMain } from "./rebase-to-main.ts"
import { recordReportedStuck } from "./record-reported-stuck.ts"
import { turnIsOver, type Verb, type VerbRequest } from "./verb.ts"

const HANDLERS: { readonly [Name in VerbName]: Verb<Name> } = {
  brief,
  ask,
  check,
  done,
  peers,
  propose_task: proposeTask,
  rebase_to_main: rebaseToMain,
  progress: async ({ fleet, id, input }) => {
    if (!(await fleet.progress.note(id, input.text))) throw turnIsOver()
    return { heard: true }
  },
  stuck: async ({ fleet, id, input }) => {
    if (!recordReportedStuck(fleet, id, input.reason)) throw turnIsOver()
    return { heard: true }
  },
}

export const VERB_NAMES = Object.keys(VERBS) as readonly VerbName[]

export const inputOf = (name: VerbName) => SCHEMAS[VERBS[name].takes]

/** @param request with its input as `inputOf` reads it. */
export const runVerb = (name: VerbName, request: VerbRequest): Promise<object> =>
  (HANDLERS[name] as (request: VerbRequest) => Promise<object>)(request)
