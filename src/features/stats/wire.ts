/** The document of `stats`: counts and times over a period. */
import { z } from "zod"

const time = z.iso.datetime()
const count = z.int()
/** In milliseconds. */
const ms = z.int()
/** Null: no cost is known. */
const cost = z.number().nullable()

export const StatsQuery = z.strictObject({
  /** Default: the oldest event that is kept. */
  since: time.optional(),
})
export type StatsQuery = z.input<typeof StatsQuery>

const Counts = z.object({ landed: count, handedBack: count, stuck: count, costUsd: cost })

export const StatsDocument = z.object({
  since: time,
  until: time,
  /** Days of the daemon's time zone on which something was counted, oldest first. */
  days: z.array(
    Counts.extend({
      day: z.iso.date(),
      /** Counts the tasks that landed on that day; null: none did. */
      timeToLand: z.object({ medianMs: ms, p90Ms: ms }).nullable(),
    }),
  ),
  /** By agent; null: a person or another tool did the work. */
  agents: z.array(
    Counts.extend({
      agent: z.string().nullable(),
      turns: count,
      tokensIn: count,
      tokensOut: count,
    }),
  ),
  costs: z.array(
    z.object({ day: z.iso.date(), agent: z.string().nullable(), costUsd: z.number() }),
  ),
  /** From the request to the landing, of tasks that landed in the period; null: there is none. */
  timeToLand: z.object({ medianMs: ms, p90Ms: ms, mostMs: ms }).nullable(),
  /** How long tasks waited, longest in total first. */
  waits: z.array(
    z.object({
      /**
       * An outcome of a landing, or `QUEUED`, `IN_REVIEW`, `START` (a slot, its folder or the tasks before it),
       * `PLAN_APPROVAL`, `REVIEWS_IN_PROGRESS` and `PR_READY` (its pull request), `ANSWER` (to its question).
       */
      reason: z.string(),
      tasks: count,
      totalMs: ms,
    }),
  ),
  /**
   * Why work went back to its agent: an outcome of a landing, `REJECTED` (by a person), `REVIEWER_AGENT`, or of
   * its pull request `REVIEW`, `CHECKS`, `MERGE_QUEUE`. One for a review and failed checks counts as both.
   */
  handBacks: z.array(z.object({ reason: z.string(), count })),
  stuck: z.array(z.object({ reason: z.string(), agent: z.string().nullable(), count })),
})
export type StatsDocument = z.infer<typeof StatsDocument>
