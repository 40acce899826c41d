/**
 * When a schedule starts its next task: an interval or a cron pattern, within running hours. Pure.
 *
 * croner knows time zones and their changes of the clock, for patterns and running hours alike.
 */
import { Cron } from "croner"
import { assert } from "../../base/assert.ts"

export type Timing = {
  /** Either this or {@link cron} is set. */
  readonly intervalMs: number | undefined
  /** Five fields, as cron has them, or a nickname such as `@daily`. */
  readonly cron: string | undefined
  /** IANA name; undefined: the machine's own. */
  readonly timezone: string | undefined
  /** `09:00-17:00`; undefined: always. */
  readonly hours: string | undefined
}

export type ScheduleConfig = {
  /** Replaces `{scheduleName}` in the names of branches. */
  readonly name: string
  readonly timing: Timing
  /** With a source: the words before the text of an item; undefined: a default. */
  readonly prompt: string | undefined
  /** The name of the source that a tick polls; undefined: a tick creates a task. */
  readonly source: string | undefined
  /** The title of its tasks; undefined: from the prompt. */
  readonly title: string | undefined
  /** Whether it is on until a person switches it. */
  readonly enabled: boolean
  /** The priority of its tasks. */
  readonly priority: number
  /** Whether a tick creates a task while an earlier one has not ended. */
  readonly overlap: boolean
}

/** `05:00-13:30`; the second may be before the first, so that the hours go over midnight. */
const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/

/**
 * The next start after `afterMs`. Missed ticks are not made up for.
 *
 * @param lastMs the previous tick, which an interval is added to.
 */
export function nextStartMs(timing: Timing, afterMs: number, lastMs = afterMs): number {
  return heldUntilMs(timing, nextTickMs(timing, afterMs, lastMs))
}

/** `atMs` if that is within the running hours, else the next time at which they begin. */
export function heldUntilMs({ hours, timezone }: Timing, atMs: number): number {
  const [, fromHour, fromMinute, toHour, toMinute] = HOURS.exec(hours ?? "") ?? []
  if (fromHour === undefined) return atMs
  const opensMs = nextRunMs(`${fromMinute} ${fromHour} * * *`, timezone, atMs)
  const closesMs = nextRunMs(`${toMinute} ${toHour} * * *`, timezone, atMs)
  return closesMs < opensMs ? atMs : opensMs
}

function nextTickMs({ intervalMs, cron, timezone }: Timing, afterMs: number, lastMs: number) {
  if (cron !== undefined) return nextRunMs(cron, timezone, afterMs)
  assert(intervalMs !== undefined, "a schedule has an interval or a cron pattern")
  const passed = Math.max(0, Math.floor((afterMs - lastMs) / intervalMs))
  return lastMs + (passed + 1) * intervalMs
}

function nextRunMs(pattern: string, timezone: string | undefined, afterMs: number): number {
  const next = findRun(pattern, timezone, afterMs)
  assert(next, "a checked pattern always has a next time")
  return next.getTime()
}

/** @throws {TypeError | RangeError} for a pattern or time zone that does not exist. */
function findRun(pattern: string, timezone: string | undefined, afterMs: number): Date | null {
  const cron = new Cron(pattern, { mode: "5-part", ...(timezone !== undefined && { timezone }) })
  return cron.nextRun(new Date(afterMs))
}

/** Says what is wrong with a pattern; undefined: nothing. */
export function findCronFault(pattern: string): string | undefined {
  try {
    return findRun(pattern, "UTC", 0) ? undefined : `\`${pattern}\` names a time that never comes`
  } catch {
    return `\`${pattern}\` is not a cron pattern: write minute, hour, day, month and weekday, as in \`0 9 * * mon-fri\``
  }
}

export function findTimezoneFault(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name })
    return undefined
  } catch {
    return `\`${name}\` is not a time zone: write a name such as Europe/Berlin, or UTC`
  }
}

export function findHoursFault(hours: string): string | undefined {
  const [from, to] = hours.split("-")
  return HOURS.test(hours) && from !== to
    ? undefined
    : `\`${hours}\` are not running hours: write two different times, as in \`09:00-17:30\``
}

/** For people: `every 5m`, `0 9 * * mon-fri (Europe/Berlin), 09:00-17:00`. */
export function timingText({ intervalMs = 0, cron, timezone, hours }: Timing): string {
  const zone = timezone === undefined ? "" : ` (${timezone})`
  const within = hours === undefined ? "" : `, ${hours}`
  return cron === undefined
    ? `every ${intervalText(intervalMs)}${within}${within && zone}`
    : `${cron}${within}${zone}`
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const

function intervalText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0) ?? (["ms", 1] as const)
  return `${ms / size}${unit}`
}
