/** The documents of schedules. */
import { z } from "zod"

const time = z.iso.datetime()

export const ScheduleDocument = z.object({
  agent: z.string(),
  name: z.string(),
  /** In words: `every 5m`. */
  timing: z.string(),
  enabled: z.boolean(),
  /** The next start; null while it is off. */
  nextAt: time.nullable(),
  /** When its last tick was taken; null: never. */
  lastAt: time.nullable(),
  /** Why its next tick creates no task now; null: nothing is in the way. */
  problem: z.string().nullable(),
})
export type ScheduleDocument = z.infer<typeof ScheduleDocument>

/** @see the route `switchSchedule` */
export const ScheduleSwitch = z.strictObject({ enabled: z.boolean() })
