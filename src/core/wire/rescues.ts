/** The documents of work that was saved, for `recover`. */
import { z } from "zod"

/** Work that was saved before something was changed or removed. */
export const RescueDocument = z.object({
  ref: z.string(),
  /** Path of the repository. */
  repo: z.string(),
  commit: z.string(),
  /** Its id; `pool` for work found in a worktree without a task. */
  task: z.string(),
  /** The task is one of another home that works in the repository as well. */
  otherHome: z.boolean(),
  at: z.iso.datetime(),
  /** When it goes, if nothing is rescued until then; null of another home's. */
  expiresAt: z.iso.datetime().nullable(),
  /** `before …`; empty where nothing says it. */
  reason: z.string(),
  /** The first uncommitted files, with their change: A, D, M or T. */
  files: z.array(z.object({ path: z.string(), status: z.string() })),
  filesInAll: z.int(),
  /** The index said something else: it is the commit's second parent. */
  staged: z.boolean(),
  /** `<abbreviated id> <subject>` of commits that no branch and no tag has, newest first. */
  commits: z.array(z.string()),
})
export type RescueDocument = z.infer<typeof RescueDocument>

export const RescuesDocument = z.object({
  rescues: z.array(RescueDocument),
  /** Limits of each repository: beyond them the oldest rescues go, but none younger than this age. */
  bounds: z.object({
    maxAgeMs: z.int(),
    maxCount: z.int(),
    maxBytes: z.int(),
    minAgeMs: z.int(),
  }),
})
export type RescuesDocument = z.infer<typeof RescuesDocument>

export const ToRestore = z.strictObject({
  /** A rescue ref, or its unambiguous end. */
  ref: z.string().min(1),
  /** Default: `recovered/<task>-<n>`. */
  branch: z.string().min(1).optional(),
  /** Path of the repository, where several have a ref of that name. */
  repo: z.string().min(1).optional(),
})
export type ToRestore = z.infer<typeof ToRestore>

export const RestoredDocument = RescueDocument.pick({
  ref: true,
  repo: true,
  commit: true,
}).extend({
  branch: z.string(),
  /** Commands that show what it holds. */
  look: z.array(z.string()),
})
export type RestoredDocument = z.infer<typeof RestoredDocument>
