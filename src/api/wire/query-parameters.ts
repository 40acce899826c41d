/** The schemas of parameters in the address of an HTTP request (`?limit=5`), where numbers arrive as text. */
import { z } from "zod"
import { PAGE_MAX } from "../../base/input-bounds.ts"

export const DiffQuery = z.strictObject({
  /** The commit that the work began at (default), or the current target. */
  against: z.enum(["base", "target"]).default("base"),
  /** Only this repository; default: all of the task's. */
  repo: z.string().optional(),
})
export type DiffQuery = z.input<typeof DiffQuery>

export const LinesQuery = z.strictObject({
  /** Only these tasks: ids with commas between. */
  ids: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15})*$/, "are ids with commas between")
    .optional(),
  /** Every unfinished task, and only so many finished ones: the newest. */
  finished: z.coerce.number<number>().int().min(0).max(PAGE_MAX).optional(),
  /** With `finished`: only finished tasks older than the one with this id. */
  before: z.coerce.number<number>().int().optional(),
})
export type LinesQuery = z.input<typeof LinesQuery>

export const WorktreesQuery = z.strictObject({
  /** Measures each one, which takes seconds for a large one. */
  sizes: z.stringbool().optional(),
})
export type WorktreesQuery = z.input<typeof WorktreesQuery>

const Page = z.strictObject({
  /** The number of the last one seen; 0 for all. */
  after: z.coerce.number<number>().int().min(0).default(0),
  /** At most this many. */
  limit: z.coerce.number<number>().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  /** Only the last ones, instead of those after a number. */
  last: z.coerce.number<number>().int().min(1).max(PAGE_MAX).optional(),
})

export const LogQuery = Page.extend({
  /** With `last`: only lines before the one with this number. */
  before: z.coerce.number<number>().int().min(1).optional(),
  /** The task's latest git commands, instead of the work of its agent. */
  kind: z.literal("git").optional(),
})
export type LogQuery = z.input<typeof LogQuery>

export const EventQuery = Page.extend({
  /** Only those of the task with this id. */
  task: z.coerce.number<string>().int().optional(),
})
export type EventQuery = z.input<typeof EventQuery>

const Beats = z.strictObject({
  /** Also sends `{"beat":true}` every three seconds, by which a silent connection is recognised. */
  beats: z.stringbool().optional(),
})

export const LogFollowing = Page.pick({ after: true }).extend({
  ...Beats.shape,
  /** Also sends what the agent is writing now, as `WritingDocument`, at most ten times a second. */
  writing: z.stringbool().optional(),
})
export type LogFollowing = z.input<typeof LogFollowing>

export const EventFollowing = EventQuery.omit({ limit: true, last: true }).extend(Beats.shape)
export type EventFollowing = z.input<typeof EventFollowing>
