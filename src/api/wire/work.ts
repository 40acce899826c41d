/** The documents about unfinished work: its size, its gates, its place, and what it conflicts with. */
import { z } from "zod"

const id = z.string()

const PortsDocument = z.object({
  repo: z.string(),
  first: z.int(),
  count: z.int(),
  /** The ports of the block on which a program listens now. */
  served: z.array(z.int()),
})

/** The latest unfinished tasks with work. */
export const LiveWorkDocument = z.object({
  tasks: z.array(
    z.object({
      task: id,
      /** Against the base, uncommitted changes included. */
      files: z.int(),
      added: z.int(),
      removed: z.int(),
      /** The result of its latest gate; null before the first. */
      gate: z.enum(["passed", "failed"]).nullable(),
      ports: z.array(PortsDocument),
      /** Tasks of this list whose work cannot be merged with it, each with the paths. */
      conflicts: z.array(z.object({ task: id, paths: z.array(z.string()) })),
    }),
  ),
})
export type LiveWorkDocument = z.infer<typeof LiveWorkDocument>

/** The gates of a task, and its worktrees, ports and processes. */
export const TaskFactsDocument = z.object({
  /** Newest first. */
  gates: z.array(
    z.object({
      at: z.iso.datetime(),
      /** Name of the repository; null if the task has one alone. */
      repo: z.string().nullable(),
      command: z.string(),
      exitCode: z.int(),
      durationMs: z.int(),
      /** Names the files on whose change by itself the gate passed, so that it is red. */
      ownChange: z.string().nullable(),
      /** The gate ran on the target alone. */
      onTarget: z.boolean(),
      /** The end of its output; null if it is no longer kept. */
      output: z.string().nullable(),
    }),
  ),
  /** `bytes`: on the disk, if sizes were asked for; null if unknown. */
  worktrees: z.array(z.object({ repo: z.string(), path: z.string(), bytes: z.int().nullable() })),
  ports: z.array(PortsDocument),
  processes: z.array(z.object({ pid: z.int(), purpose: z.string() })),
})
export type TaskFactsDocument = z.infer<typeof TaskFactsDocument>
