/** Tasks for a list: a line for each, with the reason for its state. */

import type { LandingId } from "../../base/ids.ts"
import type { Rest } from "../../base/retry.ts"
import { isLanding } from "../../kernel/landing/rules/landing-states.ts"
import type { Unreadable } from "../../kernel/store/read-each.ts"
import { countTasks } from "../../kernel/tasks/rows/find.ts"
import {
  type LinesQuery,
  listTaskLines,
  type TaskLine,
} from "../../kernel/tasks/rows/list-lines.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { hasTurns, needsAttention } from "../../kernel/tasks/rules.ts"
import { findBusy, findHeld, type LiveFacts } from "../../kernel/waits/busy-place.ts"
import { busyReason, heldReason } from "../../kernel/waits/rules/why.ts"
import type { TaskDocument, TaskLinesDocument, TasksDocument } from "../wire/tasks.ts"
import { type DocumentRows, findFeatureWait } from "./feature-parts.ts"
import { iso } from "./row-documents.ts"

/** Reports rows that make no sense, and leaves them as they are. */
export function unreadableDocument(
  unreadable: readonly Unreadable[],
): Pick<TasksDocument, "unreadable"> {
  if (unreadable.length === 0) return {}
  return { unreadable: unreadable.map(({ task, error }) => ({ task: String(task), error })) }
}

/** Every task that is asked for and can be read, newest last. */
export function taskLines(fleet: DocumentRows, query: LinesQuery = {}): TaskLinesDocument {
  const unreadable: Unreadable[] = []
  const lines = listTaskLines(fleet.db, (one) => void unreadable.push(one), query)
  const tasks = lines.map((task) => {
    const {
      id,
      title,
      agent,
      standIn,
      state,
      createdAtMs,
      question,
      last,
      costUsd,
      turns,
      kept,
      can,
      repos,
    } = task
    const reason = reasonOf(fleet, task, task.landing?.id)
    const attention = needsAttention({
      state,
      asks: question !== null || reason?.code === GAVE_UP || isInTheWay(task.landing),
      landing: task.landing,
    })
    const landing = task.landing && landingText(task.landing)
    const deletion = deletionDocument(fleet, task)
    const texts = {
      title,
      agent,
      standIn,
      workItem: task.workItem,
      parent: task.parent === null ? null : String(task.parent),
      reviewOf: task.reviewOf === null ? null : String(task.reviewOf),
      state,
      reason,
      landing,
      attention,
      can: [...can],
      question,
      last,
      costUsd,
      turns,
      kept,
      repos: [...repos],
      deletion,
    }
    const times = { createdAt: iso(createdAtMs), updatedAt: iso(task.updatedAtMs) }
    return { id: String(id), ...texts, ...times }
  })
  const { finished, before } = query
  const isCut = finished !== undefined && before === undefined
  const all = isCut ? Object.values(countTasks(fleet.db)).reduce((sum, n) => sum + n, 0) : 0
  const earlier = isCut ? { earlier: all - tasks.length - unreadable.length } : {}
  return { tasks, ...earlier, ...unreadableDocument(unreadable) }
}

/** A person who edits for longer than this has probably not seen that a landing waits for them. */
const IN_THE_WAY_MS = 60_000

const isInTheWay = (landing: TaskLine["landing"]): boolean =>
  landing?.state === "waiting" &&
  landing.outcome === "DIRTY_MAIN" &&
  Date.now() - landing.sinceMs > IN_THE_WAY_MS

const landingText = ({ state, outcome, reason }: NonNullable<TaskLine["landing"]>) => ({
  state,
  outcome,
  reason,
})

/** The reason for its state: the recorded one, else its current wait. */
export function reasonOf(
  fleet: DocumentRows,
  task: Busyable,
  landing: LandingId | undefined,
): TaskDocument["reason"] {
  const { db, findRest } = fleet
  if (task.reason !== null) return task.reason
  const canRest =
    task.state === "registered" ||
    hasTurns(task.state) ||
    isLanding(task.state) ||
    task.state === "cancelled"
  const rest = canRest ? findRest(task.id, landing) : null
  if (rest) return restReason(rest)
  for (const { why } of fleet.features) {
    const reason = why?.reason?.(db, task)
    if (reason) return reason
  }
  const busy = findBusy(db, task)
  if (busy) return { code: "busy", text: `waits for task ${busy.task}, ${busyReason(busy)}` }
  const held = hasTurns(task.state) ? findHeld(fleet, task.id) : null
  if (held) return { code: "busy", text: `waits for ${heldReason(held)}` }
  const step = fleet.findStep(task.id)
  if (step && Date.now() - step.sinceMs > TELL_AFTER_MS)
    return { code: "waits", text: `waits for ${step.text}` }
  const turn = hasTurns(task.state) ? findOpenTurn(db, task.id) : undefined
  const { waitsFor, retryAtMs } = turn ?? {}
  if (waitsFor && retryAtMs)
    return {
      code: "postponed",
      text: `waits for ${waitsFor}; tried again at ${new Date(retryAtMs).toISOString()}`,
    }
  const mayWait = hasTurns(task.state) ? turn?.begunAtMs === null : QUIET.includes(task.state)
  const wait = mayWait ? findFeatureWait(fleet, task) : null
  return wait && { code: "waits", text: `waits for ${wait.waitingFor}` }
}

/** States without turns in which the kernel may know of no wait. */
const QUIET: readonly Task["state"][] = ["registered", "complete", "cancelled"]

/** Shorter waits are over before a person can read them. */
const TELL_AFTER_MS = 1_000

/** The reason after too many tries: it waits for a person. */
export const GAVE_UP = "gave_up"

const restReason = ({ text, retryAtMs, unblock, isEnded }: Rest): TaskDocument["reason"] => {
  if (isEnded) return { code: "ended", text: `${text}; ${unblock}` }
  return retryAtMs === null
    ? { code: GAVE_UP, text: `tried again and again, and waits for a person: ${text}` }
    : { code: "rests", text: `${text}; tried again at ${new Date(retryAtMs).toISOString()}` }
}

/** The deletion of a task, with the last error if any. */
export function deletionDocument(
  { findRest }: Pick<LiveFacts, "findRest">,
  { id, deletion }: Pick<Task, "id" | "deletion">,
): TaskDocument["deletion"] {
  if (deletion === null) return null
  return { state: "pending", reason: findRest(id, undefined)?.text ?? null }
}

type Busyable = Pick<Task, "id" | "state" | "strategy" | "workItem" | "reason">
