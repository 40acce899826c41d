/** The documents of `worktree`: lists, additions and removals. */
import { z } from "zod"
import { GcItem } from "../gc-documents.ts"
import { TaskDocument, WorkItemId } from "../wire.ts"

const WorktreeDocument = z.object({
  /** Absolute. */
  path: z.string(),
  /** Main worktree of the repository, or its bare directory. */
  repo: z.string(),
  /**
   * Id of the task that has it, or had it last, with title and state if on record. Null in a pool.
   */
  task: z.string().nullable(),
  title: z.string().nullable(),
  state: z.string().nullable(),
  /** The checked-out branch; null when detached. */
  branch: z.string().nullable(),
  /** When it was made; null if unknown. */
  createdAt: z.iso.datetime().nullable(),
  /** Why it is kept, or what would let it go. */
  why: z.string(),
})

export const WorktreesDocument = z.object({
  worktrees: z.array(WorktreeDocument),
  /** Things that could not be checked, one sentence each. */
  notices: z.array(z.string()),
})
export type WorktreesDocument = z.infer<typeof WorktreesDocument>

const line = z.string().regex(/^\P{Cc}+$/u, "must be one line without control characters")

/** A task that gets a worktree, or the title of a new task without an agent. */
export const NewWorktree = z.strictObject({
  ref: line,
  /** Names of repositories, of a new task. */
  repos: z.array(line).optional(),
  /** Whose settings hold for a new task's worktree; default: the first agent's. */
  agent: line.optional(),
  workItem: WorkItemId.optional(),
})
export type NewWorktree = z.infer<typeof NewWorktree>

export const AddedWorktreeDocument = z.object({
  task: TaskDocument,
  /** The task is new. */
  created: z.boolean(),
})
export type AddedWorktreeDocument = z.infer<typeof AddedWorktreeDocument>

export const RemovedWorktreesDocument = z.object({ items: z.array(GcItem) })
export type RemovedWorktreesDocument = z.infer<typeof RemovedWorktreesDocument>
