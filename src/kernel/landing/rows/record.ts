/** Changes landings. Only `recordLanding` changes the state of one, as the table says. */
import { assert } from "../../../base/assert.ts"
import type { LandingId, TaskId } from "../../../base/ids.ts"
import { next } from "../../../base/machine.ts"
import { boundedReason } from "../../store/bounded-reason.ts"
import { appendEvent, eventType } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { HandBackDetails } from "../prompts/hand-back.ts"
import { handBackCauses } from "../prompts/hand-back-causes.ts"
import { IN_FLIGHT_STATES, LANDING, type LandingEvent, type LandingState } from "../rules.ts"
import { findLanding, findLandingOfTask } from "./find.ts"
import type { Landing, LandingRepo } from "./row.ts"

/** Undefined keeps what is stored, null clears it. */
export type LandingChange = {
  /** Only claimLanding uses `claimed`: the queue decides. */
  readonly event: LandingEvent
  readonly outcome?: Landing["outcome"] | undefined
  readonly reason?: string | null | undefined
  readonly details?: unknown
  readonly wakeAtMs?: number | null | undefined
  readonly attempts?: number | undefined
  readonly races?: number | undefined
  readonly handbacks?: number | undefined
  /** Only `recordDecided` makes it true. */
  readonly decided?: false | undefined
  readonly repos?: readonly LandingRepoChange[] | undefined
}

export type LandingRepoChange = Pick<LandingRepo, "name"> & {
  readonly [Column in "head" | "base" | "candidate" | "published" | "pushed"]?:
    | LandingRepo[Column]
    | undefined
}

/**
 * If a landing waits twice in a row for the same cause, it has waited since the first time. Between the two
 * it passes states that clear its outcome, so `waits_for` keeps that of the wait.
 */
const RECORD = `
  update landings
  set state = :to, outcome = :outcome,
      since = case when :to = 'waiting' and waits_for = :outcome then waits_since else :nowMs end,
      waits_since = case when :to <> 'waiting' or waits_for = :outcome then waits_since else :nowMs end,
      waits_for = case when :to = 'waiting' then :outcome
        when :to in ('in_review', 'paused', 'handed_back', 'failed', 'cleaning') then null
        else waits_for end,
      reason = :reason, details = :details,
      wake_at = :wakeAtMs, wake_from = :nowMs, attempts = :attempts, races = :races, handbacks = :handbacks,
      decided = :decided
  where id = :id and state = :from`

const RECORD_REPO = `
  update landing_repos
  set head = :head, base = :base, candidate = :candidate, published = :published,
      pushed = :pushed, in_flight = :inFlight, intent = case when :published = 1 then null else intent end
  where landing = :id and name = :name`

/**
 * Applies `change` to the landing, if its row is still in the state that was read.
 *
 * Event `landing.<event>`. A landing is in flight as long as its state is one of
 * {@link IN_FLIGHT_STATES}, on those of its targets that have not moved.
 *
 * @returns false if the row has moved: read it again, decide again.
 */
export function recordLanding(
  db: Db,
  { id, state: from }: Pick<Landing, "id" | "state">,
  change: LandingChange,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const row = findLanding(db, id)
    if (row?.state !== from) return false
    const to = next(LANDING, from, change.event)
    assert(to !== undefined, `a landing accepts ${change.event} in ${from}`)
    const reason =
      change.reason && boundedReason(db, { task: row.task, text: change.reason }, nowMs)
    const changed = changedRow(row, { ...change, reason })
    write(db, changed, to, nowMs)
    writeRepos(db, row, change.repos ?? [], to)
    const { outcome } = changed
    const more = { ...pathsOf(change), ...causesOf(change) }
    const data = { landing: id, from, to, outcome, reason: changed.reason, ...more }
    appendEvent(db, { type: eventType("landing", change.event), task: row.task, data }, nowMs)
    return true
  })
}

/** An event lists this many paths; the row has all of them. */
const PATHS_TOLD = 20

/** The paths that block a waiting landing, for followers. */
function pathsOf({ event, details }: LandingChange): { readonly paths?: readonly unknown[] } {
  const { paths } = (details ?? {}) as { readonly paths?: unknown }
  if (event !== "blocked" || !Array.isArray(paths) || paths.length === 0) return {}
  return { paths: paths.slice(0, PATHS_TOLD) }
}

/** The causes of a hand-back that its outcome does not tell apart. */
function causesOf({ event, details }: LandingChange): { readonly causes?: readonly string[] } {
  if (event !== "handedBack") return {}
  const causes = handBackCauses((details ?? {}) as HandBackDetails)
  return causes.length > 0 ? { causes } : {}
}

/** `row` with the defined values of `change`. */
function changedRow(row: Landing, change: LandingChange): Landing {
  const { event: _event, repos: _repos, ...columns } = change
  return { ...row, ...defined(columns) }
}

function write(db: Db, changed: Landing, to: LandingState, nowMs: number): void {
  const { id, state: from, outcome, reason, wakeAtMs, attempts, races, handbacks } = changed
  const details = changed.details === null ? null : JSON.stringify(changed.details)
  const counters = { attempts, races, handbacks, decided: changed.decided ? 1 : 0 }
  sql(db, RECORD).run({ id, from, to, nowMs, outcome, reason, details, wakeAtMs, ...counters })
}

function writeRepos(
  db: Db,
  { id, repos }: Landing,
  changes: readonly LandingRepoChange[],
  to: LandingState,
): void {
  const inFlight = (IN_FLIGHT_STATES as readonly LandingState[]).includes(to) ? 1 : 0
  for (const { name } of changes)
    assert(
      repos.some((repo) => repo.name === name),
      "the changed repository belongs to its landing",
    )
  for (const repo of repos) {
    const change = changes.find(({ name }) => name === repo.name)
    const { name, head, base, candidate, ...moved } = { ...repo, ...defined(change ?? {}) }
    // A moved target is free for others, even while the landing waits for its next one.
    const columns = moved.published ? { published: 1, inFlight: 0 } : { published: 0, inFlight }
    const pushed = moved.pushed ? 1 : 0
    sql(db, RECORD_REPO).run({ id, name, head, base, candidate, pushed, ...columns })
  }
}

/** Without the keys whose value is undefined. */
function defined<T extends object>(change: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> }
}

const RECORD_DECIDED = "update landings set decided = 1 where id = :id and state = 'publishing'"

/**
 * Records that a landing is decided: from now on, one of its targets may move.
 *
 * Outside the state machine: the landing's state does not move. Event `landing.decided`.
 */
export function recordDecided(
  db: Db,
  { id, task }: Pick<Landing, "id" | "task">,
  nowMs: number,
): void {
  transaction(db, () => {
    assert(sql(db, RECORD_DECIDED).run({ id }) === 1, "a landing is decided while it publishes")
    appendEvent(db, { type: "landing.decided", task, data: { landing: id } }, nowMs)
  })
}

const RECORD_INTENT = "update landing_repos set intent = :json where landing = :id and name = :name"

/**
 * Records that we are about to advance a checkout, because git cannot tell afterwards.
 *
 * The landing's state does not change.
 *
 * @param intent any JSON value; null if no checkout is being advanced.
 */
export function recordIntent(
  db: Db,
  { id }: { readonly id: LandingId },
  name: string,
  intent: unknown,
): void {
  const json = intent === null ? null : JSON.stringify(intent)
  const changed = sql(db, RECORD_INTENT).run({ id, name, json })
  assert(changed === 1, "the landing has this repository")
}

const RECORD_PUBLISHED = `
  update landing_repos set published = 1, in_flight = 0, intent = null
  where landing = :id and name = :name`

/**
 * Records that one of a landing's targets has moved, before the next one does.
 *
 * Outside the state machine: the landing's state does not move. Clears the intent, and frees the
 * target for other landings.
 */
export function recordPublished(db: Db, { id }: { readonly id: LandingId }, name: string): void {
  const changed = sql(db, RECORD_PUBLISHED).run({ id, name })
  assert(changed === 1, "the published repository belongs to its landing")
}

const POSTPONE = `
  update landings set wake_at = :wakeAtMs, wake_from = :nowMs
  where id = :id and state in ('waiting', 'proposed', 'failed')`

/** Postpones the next check of a landing that waits, is proposed or has stopped. No event: a check changes nothing. */
export function postponeLanding(
  db: Db,
  { id }: Pick<Landing, "id">,
  { waitMs, nowMs }: { readonly waitMs: number; readonly nowMs: number },
): void {
  sql(db, POSTPONE).run({ id, wakeAtMs: nowMs + waitMs, nowMs })
}

/**
 * Restarts the landing of a resumed task with a fresh snapshot.
 *
 * Does nothing if the landing has not left its queue: it continues there.
 */
export function resubmitPaused(db: Db, task: TaskId, nowMs: number): void {
  const landing = findLandingOfTask(db, task)
  if (landing?.state !== "paused") return
  recordLanding(db, landing, { event: "resubmitted", attempts: 0, races: 0 }, nowMs)
}
