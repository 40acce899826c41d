/** The landing queue: its order, as SQL, and the claim of its head. */
import type { LandingId, RefName, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import { isOutpaced } from "../rules/races.ts"
import { findLanding } from "./find.ts"
import { recordLanding } from "./record.ts"

/** After this many lost races a landing goes before earlier and more urgent ones. */
const RACES_FOR_PRECEDENCE = 5

/** At most this many later, more urgent landings overtake one. */
export const OVERTAKEN_MAX = 10

/** States in which a landing is ahead of later ones: it waits for its turn, or soon will. */
const AHEAD = "('snapshotting', 'queued')"

/** Prevents starvation: after that many lost races the oldest goes first, whatever the priorities. */
const hasPrecedence = (landing: string) =>
  `(${landing}.races >= ${RACES_FOR_PRECEDENCE} or ${landing}.overtaken >= ${OVERTAKEN_MAX})`

/**
 * The place of a landing in its queue: columns to order by, in parentheses to compare. All landings
 * share one order, so two of them never wait for each other. A decided one goes first: part of it
 * may be on its target already.
 */
const queuePlace = (landing: string) => `
  not ${landing}.decided, not ${hasPrecedence(landing)},
  case when ${hasPrecedence(landing)} then 0
    else -(select priority from tasks where tasks.id = ${landing}.task) end,
  ${landing}.queued_at, ${landing}.id`

/**
 * Whether a landing waits for a task that it lands after, or for its own reversal. A decided one waits
 * for neither. Tasks depend only on earlier ones, and a reversal comes later and depends on nothing, so
 * no landing waits for itself, not even indirectly.
 */
const isHeld = (landing: string) => `(not ${landing}.decided and (
  exists (
    select 1 from dependencies join tasks on tasks.id = dependencies.depends_on
    where dependencies.task = ${landing}.task and tasks.state not in ('complete', 'cancelled'))
  or exists (
    select 1 from landings reversal
    where reversal.undoes = ${landing}.id and reversal.state not in ('landed', 'cancelled'))))`

/** Whether a landing takes its turn in the queue: one that waits for something else blocks no other. */
const isInQueue = (landing: string) => `(${landing}.state in ${AHEAD} and not ${isHeld(landing)})`

/** Whether `other`, in the queue, comes before `own`. */
const isBefore = (other: string, own: string) =>
  `(${isInQueue(other)} and (${queuePlace(other)}) < (${queuePlace(own)}))`

/**
 * Whether a queued landing may start: it is not held, and no target of it has another landing in flight
 * (which an index finds) or one before it.
 */
export const isNext = (own: string) => `(
  not exists (
    select 1
    from landing_repos ours
    join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
    where ours.landing = ${own}.id and theirs.landing <> ${own}.id
      and ours.published = 0 and theirs.published = 0 and theirs.in_flight = 1)
  and not ${isHeld(own)}
  and not exists (
    select 1
    from landing_repos ours
    join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
    join landings other on other.id = theirs.landing
    where ours.landing = ${own}.id and other.id <> ${own}.id
      and ours.published = 0 and theirs.published = 0 and ${isBefore("other", own)}))`

const IS_NEXT = `select 1 from landings where id = :id and state = 'queued' and ${isNext("landings")}`

/** Landings in the queue of one of its targets that came before it: each is overtaken once more. */
const OVERTAKE = `
  update landings set overtaken = overtaken + 1
  where ${isInQueue("landings")} and id <> :id
    and (queued_at, id) < (select queued_at, id from landings where id = :id)
    and exists (
      select 1
      from landing_repos ours
      join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
      where ours.landing = :id and theirs.landing = landings.id
        and ours.published = 0 and theirs.published = 0)`

/**
 * Claims the queues of a queued landing, unless it is held, or another one with a common target is in
 * flight or before it. Claims all of its targets that have not moved, or none.
 *
 * @returns whether it was claimed.
 */
export function claimLanding(db: Db, id: LandingId, nowMs: number): boolean {
  return transaction(db, () => {
    if (!sql(db, IS_NEXT).find({ id })) return false
    sql(db, OVERTAKE).run({ id })
    const claim = {
      event: "claimed",
      outcome: null,
      reason: keptReason(db, id),
      details: null,
    } as const
    return recordLanding(db, { id, state: "queued" }, claim, nowMs)
  })
}

/** A landing that loses races goes on telling who moves its target. */
function keptReason(db: Db, id: LandingId): string | null {
  const landing = findLanding(db, id)
  return landing?.outcome === "FF_NOT_POSSIBLE" && isOutpaced(landing) ? landing.reason : null
}

const FIND = `
  select other.id, other.task
  from landings own
  join landing_repos ours on ours.landing = own.id
  join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
  join landings other on other.id = theirs.landing
  where own.id = :id and other.id <> :id and ours.published = 0 and theirs.published = 0
    and (theirs.in_flight = 1 or ${isBefore("other", "own")})
  order by theirs.in_flight desc, ${queuePlace("other")}
  limit 1`

/** Landings that revert it: until they end, half of its work may be there. */
const FIND_REVERSAL = `
  select id, task from landings
  where undoes = :id and state not in ('landed', 'cancelled') order by id limit 1`

/**
 * Finds the landing that another one waits for.
 *
 * The landing that reverts it, else the one in flight on one of its targets, else one before it.
 */
export function findLandingAhead(
  db: Db,
  id: LandingId,
): { readonly id: LandingId; readonly task: TaskId } | undefined {
  const found = sql(db, FIND_REVERSAL).find({ id }) ?? sql(db, FIND).find({ id })
  return found as { id: LandingId; task: TaskId } | undefined
}

export type QueuedLanding = {
  readonly id: LandingId
  readonly task: TaskId
  /** The repository's main worktree, or bare directory. */
  readonly path: string
  readonly target: RefName
  /** Only its priority and its time decide its place in the queue, so a person can change it. */
  readonly movable: boolean
  readonly priority: number
  readonly queuedAtMs: number
}

/** Landings in flight come first, those that wait for something else last. */
const LIST_QUEUES = `
  select landings.id, landings.task, repo.path, repo.target, priority, queued_at as queuedAtMs,
    ${isInQueue("landings")} and not decided and not ${hasPrecedence("landings")} as movable
  from landing_repos repo join landings on landings.id = repo.landing
    join tasks on tasks.id = landings.task
  where repo.published = 0 and landings.state not in ('landed', 'cancelled', 'failed') and tasks.land <> 'pr'
  order by repo.path, repo.target,
    case when repo.in_flight = 1 then 0 when ${isInQueue("landings")} then 1 else 2 end,
    ${queuePlace("landings")}`

/**
 * Lists the landings of every target, in their order.
 *
 * A landing of several repositories is in the queue of each that has not moved yet.
 */
export function listQueues(db: Db): QueuedLanding[] {
  const rows = sql(db, LIST_QUEUES).list()
  return rows.map((row) => ({ ...row, movable: row["movable"] === 1 }) as QueuedLanding)
}
