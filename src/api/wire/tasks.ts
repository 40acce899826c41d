/**
 * The documents of tasks, for HTTP, `--json` and the library.
 *
 * In every document absent values are null, times ISO 8601 UTC, ids strings. The JSON Schemas in
 * docs/generated are made from them. Commands import only their types, so that they do not load zod.
 */
import { z } from "zod"
import { SECTIONS } from "../../declared/schemas.ts"
import { ACTIONS } from "../../kernel/tasks/rules/action.ts"
import { CAUSE_NAMES } from "../../kernel/tasks/rules/fallback.ts"

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

/** The fallback that has taken over from a task's agent, and why. */
const standIn = z
  .object({ agent: z.string(), cause: z.enum(CAUSE_NAMES), text: z.string() })
  .nullable()

export const TaskDocument = z.object({
  id,
  title: z.string(),
  /** Null for work of a person or another tool. */
  agent: z.string().nullable(),
  standIn,
  state: z.string(),
  reason: z.object({ code: z.string(), text: z.string() }).nullable(),
  attention: z.boolean(),
  /** The actions that are possible now. The daemon alone decides that. */
  can: z.array(z.enum(ACTIONS)),
  workItem: z.string().nullable(),
  /** Higher starts, and lands, earlier. */
  priority: z.int(),
  /** Ids of the tasks that it lands after. */
  after: z.array(id),
  /** Id of the task whose work it starts from. */
  on: id.nullable(),
  /** The task whose agent proposed it. */
  parent: id.nullable(),
  /** Ids of its sub-tasks. */
  children: z.array(id),
  /** The task on whose commits it gives a second opinion. */
  reviewOf: id.nullable(),
  /** The second opinions on its commits, oldest first. */
  reviews: z.array(
    z.object({
      reviewer: z.string(),
      /** The reviewer's task; null: there is none yet, or it was deleted. */
      by: id.nullable(),
      state: z.enum(["asked", "reading", "approved", "changes", "failed", "withdrawn"]),
      /** The reviewer's words, or the reason why there is no verdict. */
      comments: z.string().nullable(),
      commits: z.array(z.object({ repo: z.string(), head: z.string(), base: z.string() })),
    }),
  ),
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
  jobs: z.array(
    z.object({
      id,
      state: z.string(),
      sessions: z.array(z.string()),
      /** The last message of its agent, in one line. */
      summary: z.string().nullable(),
      startedAt: time,
      /** Null while it runs. */
      durationMs: z.int().nullable(),
      /** Why its task stopped; null: nothing went wrong. */
      error: z.string().nullable(),
    }),
  ),
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
      /** All targets were locked and may have moved: it is rolled forward, never cancelled. */
      decided: z.boolean(),
      /** One for each repository; base and candidate above are those of the first. */
      repos: z.array(
        z.object({
          name: z.string(),
          base: z.string().nullable(),
          candidate: z.string().nullable(),
          /** The target has been moved. */
          published: z.boolean(),
        }),
      ),
    })
    .nullable(),
  /** The task's pull requests, one for each repository that has one. */
  pullRequests: z.array(
    z.object({
      /** Name of the repository. */
      repo: z.string(),
      number: z.int(),
      url: z.string(),
      state: z.enum(["open", "merged", "closed"]),
      review: z.enum(["waiting", "approved", "changes_requested"]),
      checks: z.enum(["none", "pending", "passed", "failed"]),
      /** The commit that was pushed last. */
      head: z.string().nullable(),
      /** Why the forge could not be asked, or does not merge it. */
      problem: z.string().nullable(),
    }),
  ),
  /** The plan of a task that begins with one, once it is written. */
  plan: z
    .object({
      mode: z.enum(["auto", "approve"]),
      /** The agent that writes it; null: the task's own. */
      by: z.string().nullable(),
      text: z.string().nullable(),
      /** The SHA-256 of the text, which names the plan in an approval. */
      id: z.string().nullable(),
    })
    .nullable(),
  /**
   * `pending`: with the error, if any, after which it is tried again in a few seconds.
   * `failed`, `done`: only in the answer to `delete`. After a failure the task goes on as it was.
   */
  deletion: z
    .object({ state: z.enum(["pending", "failed", "done"]), reason: z.string().nullable() })
    .nullable(),
  ...SECTIONS,
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
      standIn: true,
      workItem: true,
      parent: true,
      reviewOf: true,
      state: true,
      reason: true,
      can: true,
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
      /** The number of its latest turn; 0 before the first. */
      turns: z.int(),
      /** The task is complete, and its work is kept: `land` lands it. */
      kept: z.boolean(),
      /** Names of its repositories. */
      repos: z.array(z.string()),
    }),
  ),
  unreadable,
  /** With `finished`: how many finished tasks are left out. */
  earlier: z.int().optional(),
  /** The mistakes in coppice.yml; absent if it has none. */
  config: z.string().optional(),
})
export type TaskLinesDocument = z.infer<typeof TaskLinesDocument>

/** Tasks of which a person picks one, with what tells them apart. */
export const AlternativesDocument = z.object({
  alternatives: z.array(
    z.object({
      task: id,
      agent: z.string().nullable(),
      state: z.string(),
      reason: z.string().nullable(),
      /** The size of its changes; lines of binary files do not count. */
      files: z.int(),
      added: z.int(),
      removed: z.int(),
      /** Null: it has not run to its end. */
      gate: z.enum(["passed", "failed", "none"]).nullable(),
      costUsd: z.number().nullable(),
      /** From its creation until it stopped, or until now. */
      durationMs: z.int(),
      /** The alternative waits for a person to pick it. */
      canPick: z.boolean(),
    }),
  ),
})
export type AlternativesDocument = z.infer<typeof AlternativesDocument>

export const WhyDocument = z.object({
  task: id,
  agent: TaskDocument.shape.agent,
  standIn,
  waitingFor: z.string().nullable(),
  since: time.nullable(),
  unblock: z.string().nullable(),
  paths: z.array(z.string()),
})
export type WhyDocument = z.infer<typeof WhyDocument>

/** Where a task's worktree is. */
export const OpenDocument = z.object({ task: z.string(), repo: z.string(), worktree: z.string() })
export type OpenDocument = z.infer<typeof OpenDocument>
