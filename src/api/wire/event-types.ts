/**
 * Every type of event that the store writes, with its data. `appendEvent` takes no other type.
 *
 * A reader accepts types and fields that it does not know: a later version may add some.
 */
import { z } from "zod"
import { EVENTS_OF_FEATURES } from "../../declared/schemas.ts"
import { EventDocument } from "./events.ts"
import { Usage } from "./tasks.ts"

const text = z.string()
const texts = z.array(text)
const count = z.int()
/** Ids in the data of events are numbers. */
const id = z.int()

// biome-ignore format: a list reads best in few lines
const TASK_MOVES = [
  "plan_started", "planned", "plan_approved", "plan_rejected", "started", "shipping_started",
  "pull_request_opened", "reviews_passed", "reviews_reopened", "changes_requested",
  "pull_request_merged", "approval_requested", "approved", "reviewed", "rejected", "told",
  "landing_requested", "landed", "handed_back", "landing_failed", "finished", "got_stuck",
  "paused", "cancelled", "resumed", "restarted",
] as const
const taskMove = z.object({
  from: text,
  to: text,
  reason: z.object({ code: text.nullable(), text: text.nullable() }).nullable(),
  restarts: z.literal(true).optional(),
})

// biome-ignore format: a list reads best in few lines
const LANDING_MOVES = [
  "snapshotted", "review_requested", "reviewers_asked", "approved", "rejected", "claimed",
  "prepared", "unchanged", "synced", "passed", "published", "shipping_started",
  "pull_request_opened", "rebased", "restacked", "pull_request_reopened", "pull_request_merged", "unshipped", "cleaned",
  "moved", "blocked", "woken", "handed_back", "failed", "paused", "resubmitted", "cancelled",
] as const
const landingMove = z.object({
  landing: id,
  from: text,
  to: text,
  outcome: text.nullable(),
  reason: text.nullable(),
  /** Paths that block a waiting landing. */
  paths: z.array(z.unknown()).optional(),
  /** Why it is handed back, if the outcome does not say it. */
  causes: texts.optional(),
})

const turn = z.object({ n: count })
const session = z.object({ session: text })
const schedule = z.object({ agent: text, name: text })
const notices = z.object({ notices: texts })
const message = z.object({ message: id, text })
const gate = z.object({
  landing: id,
  command: text,
  tree: text,
  onTarget: z.boolean(),
  /** The repository, if there are several. */
  name: text.optional(),
})
const gateWorktree = z.object({ landing: id, name: text })
/** `event`: the number of the event that it is for; a hook before a run has none. */
const hook = z.object({ hook: text, event: count.optional() })
const hookEnd = hook.extend({
  status: count.optional(),
  text: text.optional(),
  kind: text.optional(),
  code: count.nullable().optional(),
  output: text.optional(),
  durationMs: z.number().optional(),
})
const teardown = z.object({ repo: text, worktree: text, command: text })
const rescue = z.object({ ref: text, commit: text })

const step = z.object({ command: text, outcome: text, durationMs: z.number() }).nullable()
const report = z.object({
  repo: text,
  worktree: text,
  fresh: z.boolean(),
  copied: texts,
  copiedCount: count,
  linked: texts,
  linkedCount: count,
  setup: step,
  check: step,
  left: text,
  leftCount: count,
  putBack: texts,
  putBackCount: count,
  exposed: texts,
  exposedCount: count,
  ports: z.object({ first: count, count }).nullable(),
  busyPorts: z.array(count),
  slug: text,
  missing: z.object({
    wanted: z.array(z.object({ path: text, by: text })),
    moreCount: count,
    outputCount: count,
  }),
  submodules: texts,
  pointers: texts,
})

export const EVENTS = {
  ...of("task", TASK_MOVES, taskMove),
  ...of("landing", LANDING_MOVES, landingMove),
  "task.created": z.object({
    title: text,
    agent: text.nullable(),
    workItem: text.nullable(),
    schedule: text.optional(),
    parent: id.optional(),
    reviewOf: id.optional(),
  }),
  "task.progress": z.object({ text }),
  "task.attached": z.object({ attached: z.boolean() }),
  "task.deletion_requested": z.object({ keepsWorktree: z.boolean() }),
  "task.deletion_failed": z.object({ reason: text }),
  "task.deleted": z.object({ title: text, notices: texts }),
  "job.started": z.object({ job: id }),
  "turn.opened": turn.extend({ session: text, agent: text.nullable() }),
  "turn.began": turn,
  "turn.ended": turn.extend({ usage: Usage }),
  "turn.declared": turn.extend({ summary: text }),
  "turn.postponed": turn.extend({ until: count, text }),
  "turn.hastened": turn,
  "session.ended": session,
  "session.handed_over": session,
  "session.renewed": session.extend({ before: text }),
  "session.unknown": session,
  "agent.replaced": z.object({ from: text, to: text, cause: text, text }),
  "question.asked": z.object({ question: id, kind: text, text, choices: texts }),
  /** An event of each task above the one whose agent asks. */
  "sub_task.asked": z.object({ by: id, question: id, kind: text, text, choices: texts }),
  "question.answered": z.object({ question: id, answer: text }),
  "question.closed": z.object({ question: id, text }),
  "message.sent": message,
  "message.delivered": z.object({ message: id, n: count }),
  "report.sent": message,
  "file.kept": z.object({ file: id, name: text, bytes: count, byAgent: z.boolean() }),
  "approval.given": z.object({ landing: id, repo: text, head: text, base: text }),
  "review.started": z.object({ review: id, reviewer: text, by: id, open: text.nullable() }),
  "review.ended": z.object({
    review: id,
    reviewer: text,
    by: id.nullable(),
    verdict: text,
    comments: text.nullable(),
  }),
  "landing.submitted": z.object({ landing: id }),
  "landing.decided": z.object({ landing: id }),
  "landing.reordered": z.object({ landing: id, place: text, beside: id }),
  "landing.left_out": gateWorktree.extend({ worktree: text, count, paths: texts }),
  "gate.started": gate,
  "gate.finished": gate.extend({
    exitCode: count,
    durationMs: z.number(),
    /** Names the files on whose change by itself the gate passed, so that it is red. */
    ownChange: text.optional(),
  }),
  "gate.unavailable": z.object({ landing: id, message: text }),
  "gate.tree_changed": z.object({ landing: id, paths: texts }),
  "gate.files_changed": gateWorktree.extend({ paths: texts }),
  "gate.hook_ran": z.object({
    landing: id,
    hook: text,
    exitCode: count.nullable(),
    durationMs: z.number(),
  }),
  "gate.worktree_taken": gateWorktree,
  "gate.worktree_put_back": gateWorktree,
  "workspace.ready": z.object({
    repo: text,
    worktree: text,
    branch: text.nullable(),
    base: text.nullable(),
    fresh: z.boolean(),
    notices: texts,
  }),
  "workspace.report": report,
  "workspace.rebased": z.object({ name: text, onto: text, head: text, conflict: z.boolean() }),
  "workspace.passed_on": z.object({ repo: text, to: id }),
  "workspace.torn_down": teardown,
  "workspace.teardown_failed": teardown.extend({ failure: text, output: text }),
  "workspace.removed": notices,
  "workspace.kept": notices,
  "worktree.lost": notices,
  "worktree.removed": z.object({ repo: text, worktree: text.nullable(), why: text }),
  "worktree.cleaned": z.object({
    repo: text,
    worktree: text,
    branch: text.nullable(),
    why: text,
  }),
  "plan.changes": notices,
  "stash.gone": notices,
  "rescue.made": rescue.extend({ paths: texts }),
  "rescue.expired": rescue.extend({ repo: text, bound: text }),
  "target.moved": z.object({
    repo: text,
    target: text,
    from: text,
    to: text.nullable(),
    by: text.nullable(),
    task: id.nullable(),
    how: text,
    undo: text,
    isRename: z.boolean(),
    at: z.iso.datetime(),
  }),
  "repo.cloned": z.object({ name: text, path: text }),
  /** An event of each task that was at work. */
  "repo.setting_changed": notices.extend({
    repo: text,
    file: text,
    key: text,
    from: text.nullable(),
    to: text.nullable(),
    tasks: z.array(id),
  }),
  "account.limited": z.object({ account: text, name: text, share: z.number(), untilMs: count }),
  "schedules.planned": z.object({ changes: count }),
  "schedule.enabled": schedule,
  "schedule.disabled": schedule,
  "schedule.skipped": schedule.extend({ unfinished: text }),
  "hook.ran": hookEnd,
  "hook.failed": hookEnd,
  "hook.skipped": hook.extend({ when: text }),
  "hook.postponed": hook.extend({ text, retryAt: z.iso.datetime() }),
  "process.ended": z.object({ pid: count }),
  "operation.ended": z.object({ operation: text, request: text, error: text.nullable() }),
  "maintenance.done": z.object({ removed: count, problems: texts }),
  ...EVENTS_OF_FEATURES,
  /** Not stored: a follower with an old cursor gets it first. */
  "events.forgotten": z.object({ to: count }),
}
export type EventType = keyof typeof EVENTS

/** An event of this version. Types with the same data stand together. */
const known = [...Map.groupBy(Object.keys(EVENTS) as EventType[], (type) => EVENTS[type])].map(
  ([data, types]) => EventDocument.extend({ type: z.enum(types), data }),
)
export const KnownEventDocument = z.union(known)

function of<Subject extends string, Move extends string, Data>(
  subject: Subject,
  moves: readonly Move[],
  data: Data,
): Record<`${Subject}.${Move}`, Data> {
  const rows = moves.map((move) => [`${subject}.${move}`, data])
  return Object.fromEntries(rows) as Record<`${Subject}.${Move}`, Data>
}
