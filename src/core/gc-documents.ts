/** The document of `gc`: removed and kept items, each with its reason. */
import { z } from "zod"

export const GcItem = z.object({
  kind: z.enum(["worktree", "disposable", "folder", "trash", "record", "rescue", "keep_ref"]),
  /** Absolute path, or ref. */
  name: z.string(),
  /** Id of its task, with title and state if on record; null if unknown. */
  task: z.string().nullable(),
  title: z.string().nullable(),
  state: z.string().nullable(),
  action: z.enum(["remove", "keep"]),
  why: z.string(),
  /** The result; null if nothing was tried. `later`: there was no time left. */
  outcome: z.enum(["removed", "kept", "later"]).nullable(),
  /** A note for a person. */
  note: z.string().nullable(),
  /** Refs under which something was saved first. */
  rescued: z.array(z.string()),
})
export type GcItem = z.infer<typeof GcItem>

export const GcDocument = z.object({
  /** Nothing was done. */
  dryRun: z.boolean(),
  repos: z.array(z.object({ path: z.string(), items: z.array(GcItem) })),
  /** Records of finished tasks that are older than `maintenance.retention`. */
  records: z.object({
    tasks: z.int(),
    /** Rows that were deleted; null where nothing was done. */
    deleted: z.int().nullable(),
  }),
  /** Things that could not be checked, one sentence each. */
  notices: z.array(z.string()),
})
export type GcDocument = z.infer<typeof GcDocument>

/** The result of the last automatic clean-up. */
export const MaintenanceDocument = z.object({
  /** When it ended; null where there was none since the daemon started. */
  at: z.iso.datetime().nullable(),
  removed: z.int(),
  /** The first problems for a person to check, one sentence each. */
  problems: z.array(z.string()),
})
export type MaintenanceDocument = z.infer<typeof MaintenanceDocument>
