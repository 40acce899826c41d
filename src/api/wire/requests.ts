/** Requests of people about tasks, and the answers that describe more than the task. */
import { z } from "zod"
import {
  COMMAND_WORDS_MAX,
  LINE_CHARS_MAX,
  PROMPT_CHARS_MAX,
  TEXT_CHARS_MAX,
} from "../../base/input-bounds.ts"
import { SentFiles } from "../../features/files/wire.ts"
import { TASKS_MAX } from "./markdown-tasks.ts"
import { TaskDocument } from "./tasks.ts"

/** No program takes a NUL as an argument, and a terminal obeys other control characters. */
const bounded = (charsMax: number, instead = "shorten it") =>
  z.string().max(charsMax, `is longer than ${charsMax} characters: ${instead}`)
const anyText = (charsMax: number, instead?: string) =>
  bounded(charsMax, instead).regex(/^[\P{Cc}\t\n\r]+$/u, "must be text without control characters")
const line = bounded(LINE_CHARS_MAX).regex(
  /^\P{Cc}+$/u,
  "must be one line without control characters",
)
const text = anyText(TEXT_CHARS_MAX)
const prompt = anyText(PROMPT_CHARS_MAX, "put long material into a file, and name the file")

/** Branch names contain it, so it must not look like a path to elsewhere, or like an option. */
export const WorkItemId = line.regex(
  /^(?![-/])(?!.*\\)(?!(.*\/)?\.{1,2}(\/|$))/u,
  "must be an identity such as gh-17: not a path, and not an option",
)

/** A program and its arguments. */
const words = z.tuple([line], line).refine((list) => list.length <= COMMAND_WORDS_MAX, {
  error: `has more than ${COMMAND_WORDS_MAX} words: put them into a script`,
})

export const NewTask = z.strictObject({
  prompt,
  agent: line.optional(),
  /**
   * Instead of an agent of coppice.yml: the words that start a program, and those for later turns of
   * the conversation. `{prompt}`, `{promptFile}`, `{session}` and `{turn}` are replaced.
   */
  with: words.optional(),
  resume: words.optional(),
  /** The model of its sessions, instead of the agent's. */
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
  /** The task whose work it starts from, as a reference. It lands after that one, in the same way. */
  on: line.optional(),
  /** As `on`; its conversation also begins as a copy of that task's. */
  fork: line.optional(),
  /** Existing work that it goes on with: a branch, a commit, or the number of a pull request. */
  from: line.optional(),
  /** With `from`: works on a new branch, even if `from` is checked out or has a pull request. */
  copy: z.boolean().optional(),
  /** Files that the agent gets with the prompt. */
  files: SentFiles.optional(),
})
export type NewTask = z.infer<typeof NewTask>

/** Tasks that are added together: all of them, or none. */
export const NewTasks = z.strictObject({
  tasks: z
    .array(
      NewTask.extend({
        /** The tasks of this list that it lands after, by position. */
        follows: z.array(z.int().min(0)),
        /** In place of `on`: the task of this list whose work it starts from, by position. */
        stacksOn: z.int().min(0).optional(),
      }),
    )
    .min(1)
    .max(TASKS_MAX, `has more than ${TASKS_MAX} tasks: split it`)
    .refine(
      (tasks) =>
        tasks.every(({ follows, stacksOn = -1 }, at) =>
          [...follows, stacksOn].every((other) => other < at),
        ),
      "has a task that follows itself or a later one",
    ),
  /** The tasks are alternatives: each is gated, a person picks one, the others are cancelled. */
  pick: z.boolean().optional(),
  /** Files that each agent gets with its prompt. */
  files: SentFiles.optional(),
})
export type NewTasks = z.infer<typeof NewTasks>

/** The settings of a new task, shown by `run` before it starts. */
export const TakenDocument = z.object({
  agent: z.string(),
  runtime: z.string(),
  repo: z.string(),
  target: z.string(),
  gate: z.string().nullable(),
  setup: z.string().nullable(),
  land: z.string(),
  /** All repositories of the task. The fields above describe the first one. */
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

/** The answer to a new task: the task, and the defaults that it took. */
export const CreatedDocument = z.object({ task: TaskDocument, taken: TakenDocument })
export type CreatedDocument = z.infer<typeof CreatedDocument>

/** Approves the commits in review: all of them, or those of the named repository. */
export const NewApproval = z.strictObject({
  repo: line.optional(),
  /** The commit that the person saw, or its beginning. Refused if another one is in review. */
  head: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, "must be a commit's id, or the first 7 or more of its digits")
    .optional(),
  /** The id of the plan that the person saw, or its beginning. Approving a plan needs it. */
  plan: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, "must be a plan's id, or the first 7 or more of its digits")
    .optional(),
})
export type NewApproval = z.infer<typeof NewApproval>

export const Rejection = z.strictObject({ feedback: text.optional() })
export type Rejection = z.infer<typeof Rejection>

/** A message from a person to an agent. `now` delivers it to the running turn. */
export const SaidWords = z.strictObject({
  text,
  now: z.boolean().optional(),
  files: SentFiles.optional(),
})
export type SaidWords = z.infer<typeof SaidWords>

/** A message that may be left out. */
export const Words = z.strictObject({ text: text.optional() })
export type Words = z.infer<typeof Words>

/** `tree` cancels its sub-tasks, too. */
export const Cancellation = z.strictObject({ tree: z.boolean().optional() })
export type Cancellation = z.infer<typeof Cancellation>

export const Deletion = z.strictObject({ keepWorktree: z.boolean().optional() })
export type Deletion = z.infer<typeof Deletion>

/** The process of a person that continues a task's conversation. */
export const ToAttach = z.strictObject({ pid: z.int().min(1) })
export type ToAttach = z.infer<typeof ToAttach>

/** How a person starts the agent's own program. The task is paused. */
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
