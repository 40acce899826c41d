/** The documents of `worktree` and `gc`: lists, additions and removals. */
import { z } from "zod"
import { WorkItemId } from "../../api/wire/requests.ts"
import { TaskDocument } from "../../api/wire/tasks.ts"

export const GcItem = z.object({
  kind: z.enum([
    "worktree",
    "disposable",
    "folder",
    "trash",
    "record",
    "branch",
    "rescue",
    "keep_ref",
  ]),
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
  /** Records that are older than `maintenance.retention`. */
  records: z.object({
    /** Finished tasks that have such records. */
    tasks: z.int(),
    /** Rows that were deleted, also those that belong to no task; null where nothing was done. */
    deleted: z.int().nullable(),
  }),
  /** Things that could not be checked, one sentence each. */
  notices: z.array(z.string()),
})
export type GcDocument = z.infer<typeof GcDocument>

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
  /** On its disk, if sizes were asked for; null if unknown. */
  bytes: z.int().nullable(),
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
  /** As for a new task. */
  cwd: z.string().optional(),
  /** The agent whose settings apply to a new task's worktree; default: the first one. */
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
