/** The documents of `--json` that describe no task: lists, the doctor's, the configuration's. */
import { z } from "zod"
import { EventDocument, LogLineDocument, TaskDocument, TaskLinesDocument } from "../wire.ts"

export const EventsDocument = z.object({ events: z.array(EventDocument) })
export type EventsDocument = z.infer<typeof EventsDocument>

export const LogDocument = z.object({ lines: z.array(LogLineDocument) })
export type LogDocument = z.infer<typeof LogDocument>

/** The result of an agent's request to rebase onto the target. */
export const RebasedDocument = z.object({
  /** `conflict`: a rebase is in progress, and the agent resolves it. `refused`: nothing changed. */
  kind: z.enum(["rebased", "conflict", "upToDate", "refused"]),
  /** Branch name. */
  target: z.string().nullable(),
  /** The commit of the target that the branch now stands on, or is being put on. */
  onto: z.string().nullable(),
  worktree: z.string().nullable(),
  /** Where the work from before is kept. */
  rescue: z.string().nullable(),
  /** In conflict. */
  paths: z.array(z.string()),
  /** The reason of a refusal. */
  reason: z.string().nullable(),
})
export type RebasedDocument = z.infer<typeof RebasedDocument>

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
  /** Not for a task. Default: the subject of a single commit, else the branch. */
  title: z
    .string()
    .regex(/^\P{Cc}+$/u)
    .optional(),
})
export type WorkToLand = z.infer<typeof WorkToLand>

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

/** The process that takes over a task's conversation. */
export const ToAttach = z.strictObject({ pid: z.int().min(1) })
export type ToAttach = z.infer<typeof ToAttach>

/** The agent's own program, to be run by a person; the task is paused. */
export const AttachDocument = z.object({
  task: z.string(),
  program: z.string(),
  args: z.array(z.string()),
  /** The whole environment; what a terminal needs comes from the person's own. */
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  sessionId: z.string(),
})
export type AttachDocument = z.infer<typeof AttachDocument>

/** The tasks of every home of this user; whether its daemon runs. */
export const HomesDocument = z.object({
  homes: z.array(
    TaskLinesDocument.extend({
      home: z.string(),
      running: z.boolean(),
      /** Why its tasks cannot be read. */
      problem: z.string().nullable(),
    }),
  ),
})
export type HomesDocument = z.infer<typeof HomesDocument>

/** Where a task's worktree is. */
export const OpenDocument = z.object({ task: z.string(), repo: z.string(), worktree: z.string() })
export type OpenDocument = z.infer<typeof OpenDocument>

/** The plan of a landing; nothing is changed. */
export const LandingPlanDocument = z.object({
  /** Null where the work is no task's. */
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

export const DoctorDocument = z.object({
  /** No check failed. */
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["ok", "failed"]),
      text: z.string(),
      /** The repair; null if none is needed. */
      hint: z.string().nullable(),
    }),
  ),
})
export type DoctorDocument = z.infer<typeof DoctorDocument>

/** A valid configuration; an invalid one is an error. */
export const ConfigDocument = z.object({
  /** The file; null where there is none and the defaults apply. */
  path: z.string().nullable(),
  repos: z.array(z.string()),
  agents: z.array(z.string()),
  /** Sentences about settings that are valid but unlikely to be meant. */
  warnings: z.array(z.string()),
})
export type ConfigDocument = z.infer<typeof ConfigDocument>

/** A key of coppice.yml. */
export const ConfigKeyDocument = z.object({
  key: z.string(),
  /** As it is written, variables not filled in; null without a value. */
  value: z.unknown(),
  /** `none`: it depends on the repository, or nothing applies. */
  origin: z.enum(["file", "default", "none"]),
  /** The file that has it; null if none has. */
  path: z.string().nullable(),
  about: z.string(),
  /** The possible values in words. */
  values: z.string(),
})
export type ConfigKeyDocument = z.infer<typeof ConfigKeyDocument>

export const InitDocument = z.object({
  path: z.string(),
  /** As detected, and written to the file; null or empty without. */
  target: z.string().nullable(),
  setup: z.string().nullable(),
  gate: z.string().nullable(),
  copy: z.array(z.string()),
})
export type InitDocument = z.infer<typeof InitDocument>

export const VersionDocument = z.object({ version: z.string() })
export type VersionDocument = z.infer<typeof VersionDocument>

/** The text of `--help`. */
export const HelpDocument = z.object({ help: z.string() })
export type HelpDocument = z.infer<typeof HelpDocument>

/** The landings of every target, in queue order. */
export const QueueDocument = z.object({
  queues: z.array(
    z.object({
      /** The repository's main worktree, or bare directory. */
      path: z.string(),
      target: z.string(),
      landings: z.array(
        z.object({
          id: z.string(),
          task: z.string(),
          title: z.string(),
          state: z.string(),
          outcome: z.string().nullable(),
          priority: z.int(),
          since: z.iso.datetime(),
          waitingFor: z.string().nullable(),
          unblock: z.string().nullable(),
        }),
      ),
    }),
  ),
})
export type QueueDocument = z.infer<typeof QueueDocument>

/** The acts of a torture, its checks, and the violations that it found. */
export const TortureDocument = z.object({
  /** Path of the original; the torture used a clone. */
  repo: z.string(),
  seed: z.int(),
  seconds: z.number(),
  /** It was ended early: little was checked. */
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
