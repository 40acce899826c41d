/** The verbs of agents: the input and the answer of each. */
import { z } from "zod"
import { SentFiles } from "../../features/files/wire.ts"

const text = z.string().trim().min(1).max(20_000)
const line = z
  .string()
  .trim()
  .regex(/^\P{Cc}+$/u, "must be one line without control characters")
  .max(500)

export const BriefDocument = z.object({
  task: z.string(),
  title: z.string(),
  prompt: z.string(),
  workItem: z.string().nullable(),
  state: z.string(),
  turn: z.int().nullable(),
  repos: z.array(
    z.object({
      name: z.string(),
      target: z.string(),
      branch: z.string().nullable(),
      worktree: z.string().nullable(),
      base: z.string().nullable(),
      /** The command that must pass before the work lands; null: nothing is tested. */
      gate: z.string().nullable(),
    }),
  ),
  /** The agent's questions, each with the answer of a person; null until then. */
  questions: z.array(z.object({ text: z.string(), answer: z.string().nullable() })),
  /** The reason why the work came back without landing. */
  handedBack: z.string().nullable(),
  /** The other agents that it may choose for a sub-task. */
  agents: z.array(z.string()),
})
export type BriefDocument = z.infer<typeof BriefDocument>

export const Progress = z.strictObject({
  text: line.describe("Your progress, in one line"),
  files: SentFiles.optional().describe(
    "Files that show it, such as screenshots; `coppice agent progress --attach <file>` reads them",
  ),
})
export type Progress = z.infer<typeof Progress>

/** `later`: there is no answer yet; the agent should end its turn, and gets the answer with the next. */
export const AnsweredDocument = z.object({
  kind: z.enum(["answered", "later"]),
  answer: z.string().nullable(),
})
export type AnsweredDocument = z.infer<typeof AnsweredDocument>

export const ToAsk = z.strictObject({
  question: text.describe("The question, with what the person must know to answer it"),
  choices: z.array(line).max(10).default([]).describe("Possible answers, if there are few"),
})
export type ToAsk = z.infer<typeof ToAsk>

export const Done = z.strictObject({
  summary: text.describe("Summary of your work, for the person who asked for it"),
})
export type Done = z.infer<typeof Done>

export const Stuck = z.strictObject({
  reason: text.describe("Why you cannot go on, and what a person would have to decide or do"),
})
export type Stuck = z.infer<typeof Stuck>

export const ToCheck = z.strictObject({
  repo: line.optional().describe("One repository of the task; default: all of them"),
})
export type ToCheck = z.infer<typeof ToCheck>

export const ToRebase = z.strictObject({
  repo: line.optional().describe("One repository of the task; default: the first"),
})
export type ToRebase = z.infer<typeof ToRebase>

/** How the gate ended in each worktree, as it is now; uncommitted changes count. */
export const CheckDocument = z.object({
  passed: z.boolean(),
  repos: z.array(
    z.object({
      name: z.string(),
      /** Null: nothing is tested. */
      command: z.string().nullable(),
      verdict: z.enum(["passed", "failed", "timed_out", "unavailable", "none"]),
      /** The end of it. */
      output: z.string(),
    }),
  ),
})
export type CheckDocument = z.infer<typeof CheckDocument>

/** `declared`: the checks passed, and the work is on record as done. */
export const DoneDocument = CheckDocument.extend({ declared: z.boolean() })
export type DoneDocument = z.infer<typeof DoneDocument>

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
  /** Submodules that git left at the commits of before. */
  submodules: z.array(z.string()),
  /** The reason of a refusal. */
  reason: z.string().nullable(),
})
export type RebasedDocument = z.infer<typeof RebasedDocument>

/** No system has longer paths. */
const PATH_CHARS_MAX = 4_096

export const ToFindPeers = z.strictObject({
  paths: z
    .array(z.string().min(1).max(PATH_CHARS_MAX))
    .max(1_000)
    .default([])
    .describe("Files or folders relative to the repository; default: those that you changed"),
})
export type ToFindPeers = z.infer<typeof ToFindPeers>

export const PeersDocument = z.object({
  peers: z.array(
    z.object({
      task: z.string(),
      title: z.string(),
      agent: z.string().nullable(),
      state: z.string(),
      repo: z.string(),
      branch: z.string().nullable(),
      /** The first of the requested paths that it changes. */
      paths: z.array(z.string()),
      more: z.int(),
    }),
  ),
})
export type PeersDocument = z.infer<typeof PeersDocument>

const proposed = z
  .string()
  .regex(/^(proposal:)?[1-9]\d{0,14}$/, "must be an id as `propose_task` gave it")

export const Proposal = z.strictObject({
  title: line.describe("The task in one line"),
  prompt: text.describe("Everything that an agent without knowledge of your work must know"),
  after: z
    .array(proposed)
    .max(20)
    .default([])
    .describe("The ids of tasks, or of earlier proposals, that it lands after"),
  on: proposed
    .optional()
    .describe(
      "The id of the task, or of an earlier proposal, whose work it starts from. It lands after that one",
    ),
  agent: line
    .optional()
    .describe(
      "Another agent to do it, of those that `brief` lists. Default: the agent of your own task",
    ),
  report: z
    .boolean()
    .optional()
    .describe(
      "Whether your task waits for its end, and you get that as your next turn. Default: yes if it starts at once, else no",
    ),
})
export type Proposal = z.infer<typeof Proposal>

export const Opinion = z.strictObject({
  verdict: z
    .enum(["approve", "changes"])
    .describe("`approve`: it may land as it is. `changes`: its author must change it first"),
  comments: z
    .string()
    .trim()
    .max(20_000)
    .default("")
    .describe("With `changes`: what must change, and where"),
})
export type Opinion = z.infer<typeof Opinion>

/** `task`: it started at once. `proposal`: a person decides. The other one is null. */
export const ProposedDocument = z.object({
  heard: z.literal(true),
  task: z.string().nullable(),
  /** `proposal:<number>` */
  proposal: z.string().nullable(),
})
export type ProposedDocument = z.infer<typeof ProposedDocument>

/** Confirms receipt, and says nothing else. */
export const AckDocument = z.object({ heard: z.literal(true) })
export type AckDocument = z.infer<typeof AckDocument>

/** A person's answer, to a task's one open question or to that of this number. */
export const NewAnswer = z.strictObject({
  answer: text,
  question: z.int().positive().optional(),
})
export type NewAnswer = z.infer<typeof NewAnswer>

const Asked = z.object({
  id: z.string(),
  task: z.string(),
  kind: z.enum(["question", "permission", "proposal"]),
  text: z.string(),
  choices: z.array(z.string()),
  /** The tool and its whole input for a permission, the task for a proposal; else null. */
  subject: z.unknown(),
  askedAt: z.iso.datetime(),
})

/** The requests of a task's agent to a person, oldest first. */
export const QuestionsDocument = z.object({
  questions: z.array(Asked),
  /** The requests of its sub-tasks' agents. Each is answered by the task that it names. */
  ofSubTasks: z.array(Asked),
})
export type QuestionsDocument = z.infer<typeof QuestionsDocument>
