/** The document of `coppice torture`. */
import { z } from "zod"

/** The acts of a torture, its checks, and the violations that it found. */
export const TortureDocument = z.object({
  /** Path of the original; the torture used a clone. */
  repo: z.string(),
  seed: z.int(),
  seconds: z.number(),
  /** The torture was ended early: little was checked. */
  interrupted: z.boolean(),
  /** Counts of acts, by name. */
  tasks: z.record(z.string(), z.int()),
  user: z.record(z.string(), z.int()),
  faults: z.record(z.string(), z.int()),
  /** Counts of kills, by mode. */
  kills: z.record(z.string(), z.int()),
  /** Counts of hostile acts, by name. */
  hostile: z.record(z.string(), z.int()),
  /** Number of checks of each property. */
  checked: z.record(z.string(), z.int()),
  violations: z.array(z.object({ property: z.string(), text: z.string() })),
  /** The command that repeats the same random choices. */
  repeat: z.string(),
  /** The folder kept for inspection; null without a violation. */
  folder: z.string().nullable(),
})
export type TortureDocument = z.infer<typeof TortureDocument>
