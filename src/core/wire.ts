/**
 * The documents of HTTP, of `--json` and of the library.
 *
 * Absent values are null, times ISO 8601 UTC, ids strings. The JSON Schemas in docs/generated are
 * made from these; the CLI imports only their types, so that it does not load zod.
 */
import { z } from "zod"
import { MaintenanceDocument } from "./gc-documents.ts"
import { LINE_CHARS_MAX, PROMPT_CHARS_MAX, WORDS_CHARS_MAX } from "./input-bounds.ts"

const time = z.iso.datetime()
const id = z.string()

export const Usage = z.object({
  turns: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  costUsd: z.number().nullable(),
})
export type Usage = z.infer<typeof Usage>

/** A conflict between work and its target, with the commits of both. */
export const ConflictDocument = z.object({
  /** Name of the repository, and the commit of its target. */
  repo: z.string(),
  target: z.string(),
  paths: z.array(
    z.object({
      path: z.string(),
      kind: z.string(),
      /** The change of each side; empty if unknown. */
      sides: z.string(),
      /** The parts in conflict, with markers; empty without text to show. */
      hunks: z.string(),
    }),
  ),
  /** The number of further files in conflict. */
  more: z.int(),
  /** `<abbreviated id> <subject>` of the target's and the task's commits to them, newest first. */
  theirs: z.array(z.string()),
  ours: z.array(z.string()),
})
export type ConflictDocument = z.infer<typeof ConflictDocument>

export const TaskDocument = z.object({
  id,
  title: z.string(),
  /** Null for work of a person or another tool. */
  agent: z.string().nullable(),
  state: z.string(),
  reason: z.object({ code: z.string(), text: z.string() }).nullable(),
  attention: z.boolean(),
  workItem: z.string().nullable(),
  /** Its priority in the landing queues; higher lands earlier. */
  priority: z.int(),
  /** Ids of the tasks that it lands after. */
  after: z.array(id),
  repos: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      target: z.string(),
      branch: z.string().nullable(),
      worktree: z.string().nullable(),
      base: z.string().nullable(),
      head: z.string().nullable(),
    }),
  ),
  sessionId: z.string().nullable(),
  jobs: z.array(z.object({ id, state: z.string(), sessions: z.array(z.string()) })),
  landing: z
    .object({
      id,
      state: z.string(),
      outcome: z.string().nullable(),
      /** Why it waits or failed, in words. */
      reason: z.string().nullable(),
      attempts: z.int(),
      handbacks: z.int(),
      base: z.string().nullable(),
      candidate: z.string().nullable(),
      conflict: ConflictDocument.nullable(),
      /** Its targets were all locked and may have moved: it is rolled forward, never cancelled. */
      decided: z.boolean(),
      /** One for each repository; base and candidate above are those of the first. */
      repos: z.array(
        z.object({
          name: z.string(),
          base: z.string().nullable(),
          candidate: z.string().nullable(),
          /** Its target has been moved. */
          published: z.boolean(),
        }),
      ),
    })
    .nullable(),
  /** The plan of a task that begins with one, once it is written. */
  plan: z.object({ mode: z.enum(["auto", "approve"]), text: z.string().nullable() }).nullable(),
  /**
   * `pending`: with the error, if any, after which it is tried again in a few seconds.
   * `failed`, `done`: only in the answer to `delete`. After a failure the task goes on as it was.
   */
  deletion: z
    .object({ state: z.enum(["pending", "failed", "done"]), reason: z.string().nullable() })
    .nullable(),
  usage: Usage,
  createdAt: time,
  updatedAt: time,
})
export type TaskDocument = z.infer<typeof TaskDocument>

/** Tasks of which something on record makes no sense; absent where there is none. */
const unreadable = z.array(z.object({ task: id, error: z.string() })).optional()

export const TasksDocument = z.object({ tasks: z.array(TaskDocument), unreadable })
export type TasksDocument = z.infer<typeof TasksDocument>

/** Every task as `ls` shows it to people. */
export const TaskLinesDocument = z.object({
  tasks: z.array(
    TaskDocument.pick({
      id: true,
      title: true,
      agent: true,
      state: true,
      reason: true,
      createdAt: true,
      updatedAt: true,
      deletion: true,
    }).extend({
      /** Set while the task is merging; null otherwise. */
      landing: TaskDocument.shape.landing
        .unwrap()
        .pick({ state: true, outcome: true, reason: true })
        .nullable(),
      attention: z.boolean(),
      /** The question of its agent. */
      question: z.string().nullable(),
      /** The beginning of its last action; null if the task is over. */
      last: z.string().nullable(),
      costUsd: z.number().nullable(),
      /** It is complete, and its work is kept: `land` does it. */
      kept: z.boolean(),
    }),
  ),
  unreadable,
})
export type TaskLinesDocument = z.infer<typeof TaskLinesDocument>

export const EventDocument = z.object({
  seq: z.int(),
  at: time,
  type: z.string(),
  task: id.nullable(),
  data: z.record(z.string(), z.unknown()),
})
export type EventDocument = z.infer<typeof EventDocument>

export const LogLineDocument = z.object({
  seq: z.int(),
  at: time,
  task: id,
  turn: z.int(),
  kind: z.enum(["text", "tool", "output", "notice", "git"]),
  text: z.string(),
})
export type LogLineDocument = z.infer<typeof LogLineDocument>

export const WhyDocument = z.object({
  task: id,
  waitingFor: z.string().nullable(),
  since: time.nullable(),
  unblock: z.string().nullable(),
  paths: z.array(z.string()),
})
export type WhyDocument = z.infer<typeof WhyDocument>

export const StatusDocument = z.object({
  running: z.boolean(),
  pid: z.int().nullable(),
  address: z.string().nullable(),
  home: z.string(),
  version: z.string().nullable(),
  uptimeS: z.number().nullable(),
  tasks: z.record(z.string(), z.int()),
  /** The result of the last clean-up; null without a daemon. */
  maintenance: MaintenanceDocument.nullable(),
  /** Worktrees that wait for a task; `bytes` as last measured. Null where no daemon runs. */
  pool: z.object({ worktrees: z.int(), bytes: z.int() }).nullable(),
})
export type StatusDocument = z.infer<typeof StatusDocument>

/** @see the route `down` */
export const ToEnd = z.strictObject({
  /** Only a daemon that a command started, and that has nothing to do. */
  ifIdle: z.boolean().optional(),
})
export const EndingDocument = z.object({ ending: z.boolean() })

/** The settings of a new task, shown by `run` before it starts. */
export const TakenDocument = z.object({
  agent: z.string(),
  runtime: z.string(),
  repo: z.string(),
  target: z.string(),
  gate: z.string().nullable(),
  setup: z.string().nullable(),
  land: z.string(),
  /** All of the task; the first one is what stands above. */
  repos: z.array(
    z.object({
      name: z.string(),
      target: z.string(),
      gate: z.string().nullable(),
      setup: z.string().nullable(),
      /** Sentences on what could not be guessed, and what to set. */
      notes: z.array(z.string()),
    }),
  ),
})
export type TakenDocument = z.infer<typeof TakenDocument>

/** No program takes a NUL as an argument, and a terminal obeys other control characters. */
const bounded = (charsMax: number, instead = "shorten it") =>
  z.string().max(charsMax, `is longer than ${charsMax} characters: ${instead}`)
const anyText = (charsMax: number, instead?: string) =>
  bounded(charsMax, instead).regex(/^[\P{Cc}\t\n\r]+$/u, "must be text without control characters")
const line = bounded(LINE_CHARS_MAX).regex(
  /^\P{Cc}+$/u,
  "must be one line without control characters",
)
const text = anyText(WORDS_CHARS_MAX)
const prompt = anyText(PROMPT_CHARS_MAX, "put long material into a file, and name the file")

/** It takes part in names of branches: nothing that looks like a path to elsewhere, or an option. */
export const WorkItemId = line.regex(
  /^(?![-/])(?!.*\\)(?!(.*\/)?\.{1,2}(\/|$))/u,
  "must be an identity such as gh-17: not a path, and not an option",
)

export const NewTask = z.strictObject({
  prompt,
  agent: line.optional(),
  /** For its sessions, instead of the agent's. */
  model: line.optional(),
  title: line.optional(),
  workItem: WorkItemId.optional(),
  repos: z.array(line).optional(),
  /** A folder. Without `repos`, a home of several takes the repository that has this folder. */
  cwd: text.optional(),
  land: z.enum(["merge", "approve", "pr", "none"]).optional(),
  /** Default: the agent's own. */
  plan: z.enum(["none", "auto", "approve"]).optional(),
  priority: z.int().optional(),
  /** Tasks to land after, each as a reference. */
  after: z.array(line).optional(),
})
export type NewTask = z.infer<typeof NewTask>

/** Approves the commits in review: all of them, or those of the named repository. */
export const NewApproval = z.strictObject({
  repo: line.optional(),
  /** The commit that was seen, or its beginning: refused where another one is in review. */
  head: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, "must be a commit's id, or the first 7 or more of its digits")
    .optional(),
})
export type NewApproval = z.infer<typeof NewApproval>

export const Rejection = z.strictObject({ feedback: text.optional() })
export type Rejection = z.infer<typeof Rejection>

/** A message from a person to an agent. */
export const SaidWords = z.strictObject({ text })
export type SaidWords = z.infer<typeof SaidWords>

/** The same where nothing has to be said. */
export const Words = SaidWords.partial()
export type Words = z.infer<typeof Words>

export const Deletion = z.strictObject({ keepWorktree: z.boolean().optional() })
export type Deletion = z.infer<typeof Deletion>

/** The answer to a new task: the task, and the defaults that it took. */
export const CreatedDocument = z.object({ task: TaskDocument, taken: TakenDocument })
export type CreatedDocument = z.infer<typeof CreatedDocument>
