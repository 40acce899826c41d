/** The document of `gc`: what would go, or went, and what stays, each with its reason. */
import { z } from "zod"

export const GcItem = z.object({
  kind: z.enum(["worktree", "disposable", "folder", "trash", "record", "rescue", "keep_ref"]),
  /** Absolute path, or ref. */
  name: z.string(),
  /** Id of the task that it is of, its title and state where it is on record; null where none is known. */
  task: z.string().nullable(),
  title: z.string().nullable(),
  state: z.string().nullable(),
  action: z.enum(["remove", "keep"]),
  why: z.string(),
  /** What became of it; null where nothing was tried. `later`: there was no time left. */
  outcome: z.enum(["removed", "kept", "later"]).nullable(),
  /** What else a person should know. */
  note: z.string().nullable(),
  /** Refs under which something was saved first. */
  rescued: z.array(z.string()),
})
export type GcItem = z.infer<typeof GcItem>

export const GcDocument = z.object({
  /** Nothing was done. */
  dryRun: z.boolean(),
  repos: z.array(z.object({ path: z.string(), items: z.array(GcItem) })),
  /** What is on record of finished tasks, and older than `maintenance.retention`. */
  records: z.object({
    tasks: z.int(),
    /** Rows that were deleted; null where nothing was done. */
    deleted: z.int().nullable(),
  }),
  /** What could not be looked at, one sentence each. */
  notices: z.array(z.string()),
})
export type GcDocument = z.infer<typeof GcDocument>

/** What the last clean-up by itself came to. */
export const MaintenanceDocument = z.object({
  /** When it ended; null where there was none since the daemon started. */
  at: z.iso.datetime().nullable(),
  removed: z.int(),
  /** What a person should look at, one sentence each; the first of them. */
  problems: z.array(z.string()),
})
export type MaintenanceDocument = z.infer<typeof MaintenanceDocument>
