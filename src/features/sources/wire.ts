/** The documents of sources: when each was polled, and its open items. */
import { z } from "zod"

const time = z.iso.datetime().nullable()

export const SourceDocument = z.object({
  name: z.string(),
  type: z.string(),
  /** The last poll that succeeded; null: none since the daemon started. */
  polledAt: time,
  /** Why it cannot be used now; null if it can. */
  error: z.string().nullable(),
  /** The next try after an error. */
  retryAt: time,
  /** The source's items that became no task, or whose end is not reported, one sentence each. */
  problems: z.array(z.string()),
  /** How many of its items are in work. */
  open: z.int(),
  max: z.int(),
})
export type SourceDocument = z.infer<typeof SourceDocument>

export const SourcesDocument = z.object({
  sources: z.array(SourceDocument),
  items: z.array(
    z.object({
      source: z.string(),
      item: z.string(),
      state: z.enum(["claiming", "working", "reporting", "ended"]),
      /** Null until there is a task, and after it is deleted. */
      task: z.string().nullable(),
      since: z.iso.datetime(),
    }),
  ),
})
export type SourcesDocument = z.infer<typeof SourcesDocument>
