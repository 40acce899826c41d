/** The documents of changes and of their way to a target: diffs, landings, previews, queues, undo. */
import { z } from "zod"
import { TaskDocument } from "./tasks.ts"

/** The changes of a task, or the changes that landed. */
export const DiffDocument = z.object({
  task: z.string(),
  repos: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      /** Commits, null where there is nothing to show; `to` may be one that no ref holds. */
      from: z.string().nullable(),
      to: z.string().nullable(),
      files: z.array(
        z.object({
          path: z.string(),
          /** The path before a rename. */
          oldPath: z.string().nullable(),
          /** A, D, M, R or T. */
          status: z.string(),
          /** Lines; null of binary files. */
          added: z.int().nullable(),
          removed: z.int().nullable(),
        }),
      ),
      filesInAll: z.int(),
      /** A patch. */
      text: z.string(),
      /** There is more of the patch. */
      truncated: z.boolean(),
      /** Files that are in it, and in no commit yet. */
      uncommitted: z.array(z.string()),
      /** With the target; then it is shown against its base. */
      conflicts: z.array(z.object({ path: z.string(), kind: z.string() })),
      /** Sentences for people. */
      notices: z.array(z.string()),
    }),
  ),
})
export type DiffDocument = z.infer<typeof DiffDocument>

/** The place of a landing in its queues. */
export const LandingOrder = z.strictObject({
  /** Default: 0. Higher lands earlier. */
  priority: z.int().optional(),
  /** Tasks to land after, each as a reference. */
  after: z.array(z.string().min(1)).optional(),
})
export type LandingOrder = z.infer<typeof LandingOrder>

/** Work to land: that of a task, of a person or of another tool. */
export const WorkToLand = LandingOrder.extend({
  /** A task's id, branch, work item or title; else a branch; else the path of a worktree. */
  ref: z
    .string()
    .min(1)
    .refine((ref) => !ref.includes("\0"), "must be without NUL"),
  /** The folder in which it was asked for, absolute. */
  cwd: z.string().min(1),
  /** Branch to land on; not for a task. */
  target: z.string().min(1).optional(),
  /** False: work in review is refused. By default, landing it approves it. */
  approve: z.literal(false).optional(),
  /** Whether it waits for an approval before it lands. If given, `ref` never means a task. */
  review: z.boolean().optional(),
  /** Not for a task. Default: the subject of a single commit, else the branch. */
  title: z
    .string()
    .regex(/^\P{Cc}+$/u)
    .optional(),
})
export type WorkToLand = z.infer<typeof WorkToLand>

/** Branches and worktrees with commits that their target lacks, and that belong to no task. */
export const ImportableDocument = z.object({
  work: z.array(
    z.object({
      repo: z.string(),
      path: z.string(),
      /** Null for a worktree without a branch. */
      branch: z.string().nullable(),
      worktree: z.string().nullable(),
      head: z.string(),
      target: z.string(),
      /** Commits that the target lacks, and that the work lacks. */
      ahead: z.int(),
      behind: z.int(),
      /** Files with uncommitted changes, which do not land. */
      uncommitted: z.int(),
      /** The tool that made it, if its path or branch tells. */
      madeBy: z.string().nullable(),
    }),
  ),
})
export type ImportableDocument = z.infer<typeof ImportableDocument>

/** The settings that other work lands with. */
export const WorkTakenDocument = z.object({
  repo: z.string(),
  path: z.string(),
  branch: z.string().nullable(),
  worktree: z.string().nullable(),
  head: z.string(),
  target: z.string(),
  gate: z.string().nullable(),
  /** How many the target does not have. */
  commits: z.int(),
  /** `<abbreviated id> <subject>`, newest first, the first of them. */
  subjects: z.array(z.string()),
  /** Uncommitted files, which do not land: the first paths. */
  leftOut: z
    .object({ worktree: z.string(), count: z.int(), paths: z.array(z.string()) })
    .nullable(),
})
export type WorkTakenDocument = z.infer<typeof WorkTakenDocument>

/** The answer to work to be landed; `taken` is null for the work of a task. */
export const LandDocument = z.object({ task: TaskDocument, taken: WorkTakenDocument.nullable() })
export type LandDocument = z.infer<typeof LandDocument>

/** The preview of a landing; nothing is changed. */
export const LandingPlanDocument = z.object({
  /** Null for work without a task. */
  task: z.string().nullable(),
  repos: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      branch: z.string().nullable(),
      target: z.string(),
      head: z.string().nullable(),
      /** The target's commit. */
      base: z.string().nullable(),
      way: z.enum(["fast-forward", "replay", "squash", "nothing", "conflict", "refused"]),
      /** Why it is refused. */
      reason: z.string().nullable(),
      /** How many the target does not have. */
      commits: z.int(),
      candidate: z.string().nullable(),
      /** `driver`: the merge driver that the real landing tries; null without one. */
      conflicts: z.array(
        z.object({ path: z.string(), kind: z.string(), driver: z.string().nullable() }),
      ),
      /** `worktree` is null if it runs in a disposable one; `remembered`: the result is known. */
      gate: z
        .object({
          command: z.string(),
          worktree: z.string().nullable(),
          remembered: z.enum(["passed", "failed"]).nullable(),
        })
        .nullable(),
      /** Changed files that the gate depends on. */
      gateFiles: z.array(z.string()),
      /** The effect of publishing: a checkout that moves along, or the reason for a wait. */
      publish: z.object({
        kind: z.enum(["ref", "checkout", "waits"]),
        checkout: z.string().nullable(),
        reason: z.string().nullable(),
        paths: z.array(z.string()),
      }),
      /** Worktree and branch that would be removed. */
      removes: z.array(z.string()),
      /** Uncommitted files, and whether they would be committed and land. */
      leftovers: z.object({ land: z.boolean(), paths: z.array(z.string()) }),
    }),
  ),
})
export type LandingPlanDocument = z.infer<typeof LandingPlanDocument>

/** A place in a landing queue: at an end, or next to the landing of another task, given as a reference. */
export const QueuePlace = z
  .strictObject({
    at: z.enum(["first", "last", "before", "after"]),
    task: z.string().min(1).optional(),
  })
  .refine(
    ({ at, task }) => (at === "first" || at === "last") === (task === undefined),
    "must name a task for `before` and `after`, and none otherwise",
  )
export type QueuePlace = z.infer<typeof QueuePlace>

/** The landings of every target, in queue order. */
export const QueueDocument = z.object({
  queues: z.array(
    z.object({
      /** The repository's main worktree, or bare directory. */
      path: z.string(),
      target: z.string(),
      /** The target's commit when it was last looked at; null: not yet. */
      tip: z.string().nullable(),
      landings: z.array(
        z.object({
          id: z.string(),
          task: z.string(),
          title: z.string(),
          state: z.string(),
          outcome: z.string().nullable(),
          priority: z.int(),
          /** A person can move it to another place in the queue. */
          movable: z.boolean(),
          /** The commit that is tested and then published, and the one of the target below it. */
          candidate: z.string().nullable(),
          base: z.string().nullable(),
          since: z.iso.datetime(),
          waitingFor: z.string().nullable(),
          unblock: z.string().nullable(),
        }),
      ),
    }),
  ),
})
export type QueueDocument = z.infer<typeof QueueDocument>

/** The landing that an undo would revert. */
export const UndoPlanDocument = z.object({
  landing: z.string(),
  task: z.string(),
  title: z.string(),
  repos: z.array(
    z.object({
      name: z.string(),
      target: z.string(),
      /** How many commits landed, and the newest of them. */
      commits: z.int(),
      subjects: z.array(z.string()),
      files: z.int(),
      added: z.int(),
      removed: z.int(),
    }),
  ),
})
export type UndoPlanDocument = z.infer<typeof UndoPlanDocument>
