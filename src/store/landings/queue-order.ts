/** The order of a landing queue, as SQL. */

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
export const queuePlace = (landing: string) => `
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
export const isInLine = (landing: string) =>
  `(${landing}.state in ${AHEAD} and not ${isHeld(landing)})`

/** Whether `other`, in line, comes before `own`. */
export const isBefore = (other: string, own: string) =>
  `(${isInLine(other)} and (${queuePlace(other)}) < (${queuePlace(own)}))`

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
