/** Runs the verbs of agents, api/wire/verbs.ts, by the handlers of the features. */

import { assert } from "../../base/assert.ts"
import type { Feature } from "../feature.ts"
import type { VerbRequest, Verbs } from "../verb.ts"
import { SCHEMAS } from "../wire/schemas.ts"
import { VERBS, type VerbName } from "../wire/verbs.ts"

/** With its input as `inputOf` reads it. */
export type RunVerb = (name: VerbName, request: VerbRequest) => Promise<object>

export const VERB_NAMES = Object.keys(VERBS) as readonly VerbName[]

export const inputOf = (name: VerbName) => SCHEMAS[VERBS[name].takes]

export function verbRunner(features: readonly Feature[]): RunVerb {
  const handlers = verbsOf(features)
  return (name, request) => {
    // `ask` hides its words itself, and gives the agent its own choice back.
    const isHidden = name !== "ask"
    const { fleet, id } = request
    const input = isHidden ? fleet.secrets.hideIn(id, request.input) : request.input
    return (handlers[name] as (request: VerbRequest) => Promise<object>)({ ...request, input })
  }
}

/** Every verb has one handler. */
export function verbsOf(features: readonly Feature[]): Verbs {
  const all = features.map(({ verbs = {} }) => verbs)
  const names = all.flatMap((handlers) => Object.keys(handlers))
  assert(new Set(names).size === names.length, "a verb has one handler")
  return Object.assign({}, ...all) as Verbs
}
