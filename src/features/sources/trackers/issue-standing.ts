/** How an issue stands, by its labels or by the state of its workflow. Pure. */
import type { SourceConfig } from "../../../config/config.ts"
import type { Issue, Shown } from "./tracker.ts"

/** `states` take the place of the labels. */
export type Names = Pick<SourceConfig, "labels"> & Partial<Pick<SourceConfig, "states">>

type Seen = {
  readonly labels: readonly (string | null | undefined)[]
  readonly state: string
  /** Work on it has not ended. */
  readonly isOpen: boolean
}

export function issueStanding(seen: Seen, { labels, states }: Names): Issue["standing"] {
  if (states) {
    if (seen.state === states.inProgress) return "working"
    return states.ready.includes(seen.state) ? "ready" : "other"
  }
  if (!seen.isOpen) return "other"
  if (seen.labels.includes(labels.inProgress)) return "working"
  return seen.labels.includes(labels.ready) ? "ready" : "other"
}

/** The label that an issue has then, if any, and the one that it has no more. */
export function labelsFor(shown: Shown, { ready, inProgress }: Names["labels"]) {
  return {
    wanted: { working: inProgress, ready, done: undefined, dropped: undefined }[shown],
    unwanted: shown === "working" ? ready : inProgress,
  }
}

/** The changes that make an issue look so. */
export type Change = {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** The state to move to. */
  readonly state: string | undefined
}

/** Without a state for it, an end leaves the issue in its state, and a comment says the rest. */
export function changeFor(shown: Shown, seen: Seen, { labels, states }: Names): Change {
  if (states) {
    const { ready, inProgress, done } = states
    const wanted = { working: inProgress, ready: ready[0], done, dropped: undefined }[shown]
    return { add: [], remove: [], state: wanted === seen.state ? undefined : wanted }
  }
  const { wanted, unwanted } = labelsFor(shown, labels)
  return {
    add: wanted === undefined || seen.labels.includes(wanted) ? [] : [wanted],
    remove: seen.labels.includes(unwanted) ? [unwanted] : [],
    state: undefined,
  }
}

/** The names that the tracker must know. */
export const namesOf = ({ labels, states }: Names): readonly string[] =>
  Object.values(states ?? labels)
    .flat()
    .filter((name) => name !== undefined)
