/** The documents of `worktree`: what is there, what was added, and what became of what was to go. */
import { z } from "zod"
import { TaskDocument, WorkItemId } from "../wire.ts"
import { GcItem } from "./gc.ts"

const WorktreeDocument = z.object({
  /** Absolute. */
  path: z.string(),
  /** Main worktree of the repository, or its bare directory. */
  repo: z.string(),
  /**
   * Id of the task that has it, or had it last; its title and state, where it is on record. Null of
   * one that waits in a pool.
   */
  task: z.string().nullable(),
  title: z.string().nullable(),
  state: z.string().nullable(),
  /** What is checked out there; null when detached. */
  branch: z.string().nullable(),
  /** When it was made; null where nothing tells it. */
  createdAt: z.iso.datetime().nullable(),
  /** Why it is kept, or what would let it go. */
  why: z.string(),
})

export const WorktreesDocument = z.object({
  worktrees: z.array(WorktreeDocument),
  /** What could not be looked at, one sentence each. */
  notices: z.array(z.string()),
})
export type WorktreesDocument = z.infer<typeof WorktreesDocument>

const line = z.string().regex(/^\P{Cc}+$/u, "must be one line without control characters")

/** A task whose worktree is to be set up, or the title of a new one that no agent works on. */
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
  /** There was none of that name before. */
  created: z.boolean(),
})
export type AddedWorktreeDocument = z.infer<typeof AddedWorktreeDocument>

export const RemovedWorktreesDocument = z.object({ items: z.array(GcItem) })
export type RemovedWorktreesDocument = z.infer<typeof RemovedWorktreesDocument>
