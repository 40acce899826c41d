/** The JSON documents of `recover`, which lists and restores saved work. */
import { z } from "zod"

/** Work that was saved before something was changed or removed. */
export const RescueDocument = z.object({
  ref: z.string(),
  /** Path of the repository. */
  repo: z.string(),
  commit: z.string(),
  /** The task's id, or `pool` if the worktree belonged to no task. */
  task: z.string(),
  /** The task belongs to another home that uses the same repository. */
  otherHome: z.boolean(),
  at: z.iso.datetime(),
  /** When it expires if no rescue is added, possibly in the past; null for another home's. */
  expiresAt: z.iso.datetime().nullable(),
  /** `before …`; empty if no reason was recorded. */
  reason: z.string(),
  /** The first uncommitted files, with their change: A, D, M or T. */
  files: z.array(z.object({ path: z.string(), status: z.string() })),
  filesInAll: z.int(),
  /** The index differed from the files. It is saved as the commit's second parent. */
  staged: z.boolean(),
  /** `<abbreviated id> <subject>` of commits that are on no branch or tag, newest first. */
  commits: z.array(z.string()),
})
export type RescueDocument = z.infer<typeof RescueDocument>

export const RescuesDocument = z.object({
  rescues: z.array(RescueDocument),
  /** Per repository. The oldest rescues beyond them expire, but none younger than `minAgeMs`. */
  bounds: z.object({
    maxAgeMs: z.int(),
    maxCount: z.int(),
    maxBytes: z.int(),
    minAgeMs: z.int(),
  }),
})
export type RescuesDocument = z.infer<typeof RescuesDocument>

export const ToRestore = z.strictObject({
  /** A rescue ref, or the unambiguous last parts of one. */
  ref: z.string().min(1),
  /** Default: `recovered/<task>-<n>`. */
  branch: z.string().min(1).optional(),
  /** Path of the repository, if several have a ref of that name. */
  repo: z.string().min(1).optional(),
})
export type ToRestore = z.infer<typeof ToRestore>

export const RestoredDocument = RescueDocument.pick({
  ref: true,
  repo: true,
  commit: true,
}).extend({
  branch: z.string(),
  /** Commands that show the restored work. */
  look: z.array(z.string()),
})
export type RestoredDocument = z.infer<typeof RestoredDocument>
