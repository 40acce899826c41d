/** The order of a landing queue, as SQL. */

/** After so many lost races a landing goes before those that came earlier, or are more urgent. */
const RACES_FOR_PRECEDENCE = 5

/** So many that came later, and are more urgent, are taken first; then it is this one's turn. */
export const OVERTAKEN_MAX = 10

/** States of a landing that is ahead of later ones: it waits for its turn, or is about to. */
const AHEAD = "('snapshotting', 'queued')"

/** Who has lost so often is not to starve: here the oldest goes first, however urgent the others. */
const hasPrecedence = (landing: string) =>
  `(${landing}.races >= ${RACES_FOR_PRECEDENCE} or ${landing}.overtaken >= ${OVERTAKEN_MAX})`

/**
 * The place of a landing in its queue: columns to order by, in parentheses to compare. All landings
 * share one order, so two of them never wait for each other. One that is decided goes first: part
 * of it is on its target already.
 */
export const queuePlace = (landing: string) => `
  not ${landing}.decided, not ${hasPrecedence(landing)},
  case when ${hasPrecedence(landing)} then 0
    else -(select priority from tasks where tasks.id = ${landing}.task) end,
  ${landing}.queued_at, ${landing}.id`

/**
 * Whether a landing waits for a task that it lands after, or to be taken back; a decided one waits
 * for none. Tasks depend on earlier ones alone, and what takes back comes later and depends on
 * nothing, so none waits for itself, however indirectly.
 */
const isHeld = (landing: string) => `(not ${landing}.decided and (
  exists (
    select 1 from dependencies join tasks on tasks.id = dependencies.depends_on
    where dependencies.task = ${landing}.task and tasks.state not in ('complete', 'cancelled'))
  or exists (
    select 1 from landings reversal
    where reversal.undoes = ${landing}.id and reversal.state not in ('landed', 'cancelled'))))`

/** Whether a landing takes its turn in the queue: what waits for anything else holds up nobody. */
export const isInLine = (landing: string) =>
  `(${landing}.state in ${AHEAD} and not ${isHeld(landing)})`

/** Whether `other`, in line, comes before `own`. */
export const isBefore = (other: string, own: string) =>
  `(${isInLine(other)} and (${queuePlace(other)}) < (${queuePlace(own)}))`

/**
 * Whether nothing keeps a queued landing from its targets: none of them has another in flight, which
 * an index tells, none has one that comes before it, and it is not held.
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
