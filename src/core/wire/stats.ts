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
  days: z.array(Counts.extend({ day: z.iso.date() })),
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
  timeToLand: z.object({ medianMs: ms, mostMs: ms }).nullable(),
  /** How long landings waited, longest in total first. */
  waits: z.array(
    z.object({
      /** An outcome of a landing, `QUEUED` or `IN_REVIEW`. */
      reason: z.string(),
      landings: count,
      totalMs: ms,
    }),
  ),
  /** Why work went back to its agent; `REJECTED`: by a person. */
  handBacks: z.array(z.object({ reason: z.string(), count })),
  stuck: z.array(z.object({ reason: z.string(), agent: z.string().nullable(), count })),
})
export type StatsDocument = z.infer<typeof StatsDocument>
