import { expect, test } from "vitest"
import type { TaskId } from "../../base/ids.ts"
import { Stats } from "./rules.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const dayOf = (ms: number) => `2026-05-${String(1 + Math.floor(ms / DAY)).padStart(2, "0")}`
const usage = {
  turns: 1,
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 0,
}

/** Events as [task, time in hours, type, data]. */
type Told = readonly [task: number, hours: number, type: string, data?: Record<string, unknown>]

function count(since: number, told: readonly Told[], until = 100) {
  const stats = new Stats({ sinceMs: since * HOUR, untilMs: until * HOUR, dayOf })
  for (const [task, hours, type, data = {}] of told)
    stats.add({ task: task as TaskId, atMs: hours * HOUR, type, data })
  return stats.document()
}

const landing = (id: number, to: string, outcome: string | null = null) => ({
  landing: id,
  to,
  outcome,
})

test("counts what landed by day and agent, and the time from the request to the landing", () => {
  const stats = count(0, [
    [1, 0, "task.created", { agent: "ann" }],
    [2, 1, "task.created", { agent: null }],
    [3, 2, "task.created", { agent: "ann" }],
    [1, 3, "landing.published", landing(1, "cleaning", "LANDED")],
    [2, 25, "landing.published", landing(2, "cleaning", "LANDED")],
    [3, 26, "landing.unchanged", landing(3, "cleaning", "NO_CHANGES")],
  ])
  const within = (hours: number) => ({ medianMs: hours * HOUR, p90Ms: hours * HOUR })
  const one = { landed: 1, handedBack: 0, stuck: 0, costUsd: null }
  expect(stats.days).toEqual([
    { day: "2026-05-01", ...one, timeToLand: within(3) },
    { day: "2026-05-02", ...one, timeToLand: within(24) },
  ])
  expect(stats.agents).toMatchObject([
    { agent: "ann", landed: 1 },
    { agent: null, landed: 1 },
  ])
  expect(stats.timeToLand).toEqual({ medianMs: 3 * HOUR, p90Ms: 24 * HOUR, mostMs: 24 * HOUR })
})

test("half of a day's tasks land within the median, and nine of ten within the other figure [12.26]", () => {
  const tasks = Array.from({ length: 20 }, (_, at) => at + 1)
  const stats = count(0, [
    ...tasks.map((n) => [n, 0, "task.created", { agent: "ann" }] as const),
    ...tasks.map((n) => [n, n, "landing.published", landing(n, "cleaning", "LANDED")] as const),
    [21, 30, "task.got_stuck", {}],
  ])
  const half = { medianMs: 10 * HOUR, p90Ms: 18 * HOUR }
  expect(stats.days.map(({ timeToLand }) => timeToLand)).toEqual([half, null])
  expect(stats.timeToLand).toEqual({ ...half, mostMs: 20 * HOUR })
})

test("a wait counts once for each task, within the period, and until now if it lasts", () => {
  const stats = count(10, [
    [1, 8, "landing.snapshotted", landing(1, "queued")],
    [1, 12, "landing.claimed", landing(1, "preparing")],
    [1, 13, "landing.blocked", landing(1, "waiting", "DIRTY_MAIN")],
    [1, 14, "landing.woken", landing(1, "snapshotting")],
    [1, 14, "landing.blocked", landing(1, "waiting", "DIRTY_MAIN")],
    [2, 20, "landing.review_requested", landing(2, "in_review")],
    [3, 2, "landing.blocked", landing(3, "waiting", "LOCKED")],
    [3, 9, "landing.woken", landing(3, "snapshotting")],
  ])
  expect(stats.waits).toEqual([
    { reason: "DIRTY_MAIN", tasks: 1, totalMs: (1 + 86) * HOUR },
    { reason: "IN_REVIEW", tasks: 1, totalMs: 80 * HOUR },
    { reason: "QUEUED", tasks: 1, totalMs: 2 * HOUR },
  ])
})

test("counts hand-backs and stuck tasks by reason, and costs by day and agent", () => {
  const stats = count(1, [
    [1, 0, "task.created", { agent: "ann" }],
    [1, 0, "turn.ended", { usage: { ...usage, costUsd: 9 } }],
    [1, 2, "turn.ended", { usage: { ...usage, costUsd: 0.5 } }],
    [1, 3, "turn.ended", { usage: { ...usage, costUsd: null } }],
    [1, 30, "turn.ended", { usage: { ...usage, costUsd: 0.25 } }],
    [1, 31, "landing.handed_back", landing(1, "handed_back", "SQUASH_CONFLICT")],
    [1, 32, "landing.rejected", landing(1, "handed_back")],
    [1, 33, "task.got_stuck", { reason: { code: "max_turns" } }],
  ])
  expect(stats.handBacks).toEqual([
    { reason: "SQUASH_CONFLICT", count: 1 },
    { reason: "REJECTED", count: 1 },
  ])
  expect(stats.stuck).toEqual([{ reason: "max_turns", agent: "ann", count: 1 }])
  expect(stats.costs).toEqual([
    { day: "2026-05-01", agent: "ann", costUsd: 0.5 },
    { day: "2026-05-02", agent: "ann", costUsd: 0.25 },
  ])
  expect(stats.agents).toEqual([
    {
      agent: "ann",
      landed: 0,
      handedBack: 2,
      stuck: 1,
      costUsd: 0.75,
      turns: 3,
      tokensIn: 36,
      tokensOut: 15,
    },
  ])
})

test("hand-backs count by what wanted them, and one for two causes counts as both [12.23]", () => {
  const handedBack = landing(1, "handed_back", "CHANGES_REQUESTED")
  const stats = count(0, [
    [1, 1, "landing.handed_back", { ...handedBack, causes: ["REVIEW", "CHECKS"] }],
    [1, 2, "landing.handed_back", { ...handedBack, causes: ["CHECKS"] }],
    [1, 3, "landing.handed_back", { ...handedBack, causes: ["MERGE_QUEUE"] }],
    [1, 4, "landing.handed_back", { ...handedBack, causes: ["REVIEWER_AGENT"] }],
    [1, 5, "landing.handed_back", handedBack],
  ])
  expect(stats.handBacks).toEqual([
    { reason: "CHECKS", count: 2 },
    { reason: "REVIEW", count: 1 },
    { reason: "MERGE_QUEUE", count: 1 },
    { reason: "REVIEWER_AGENT", count: 1 },
    { reason: "CHANGES_REQUESTED", count: 1 },
  ])
  expect(stats.agents).toMatchObject([{ handedBack: 5 }])
})

test("waits for a start, a plan, an answer and a pull request count, also of a deleted task [12.23]", () => {
  const stats = count(0, [
    [1, 0, "task.created", { agent: "ann" }],
    [2, 0, "task.created", { agent: null }],
    [1, 1, "task.plan_started", { to: "planning" }],
    [1, 2, "task.planned", { to: "planning_complete" }],
    [1, 3, "task.progress", { text: "reads" }],
    [1, 4, "task.plan_rejected", { to: "planning" }],
    [1, 5, "task.planned", { to: "planning_complete" }],
    [1, 5, "task.plan_approved", { to: "working" }],
    [1, 6, "question.asked", { question: 1, kind: "question" }],
    [1, 6, "question.asked", { question: 2, kind: "proposal" }],
    [1, 9, "question.answered", { question: 1 }],
    [1, 10, "task.pull_request_opened", { to: "reviews_in_progress" }],
    [1, 14, "task.reviews_passed", { to: "pr_ready" }],
    [1, 19, "task.deleted", { title: "a" }],
  ])
  expect(stats.waits).toEqual([
    { reason: "PR_READY", tasks: 1, totalMs: 5 * HOUR },
    { reason: "REVIEWS_IN_PROGRESS", tasks: 1, totalMs: 4 * HOUR },
    { reason: "ANSWER", tasks: 1, totalMs: 3 * HOUR },
    { reason: "PLAN_APPROVAL", tasks: 1, totalMs: 2 * HOUR },
    { reason: "START", tasks: 1, totalMs: 1 * HOUR },
  ])
})

test("a period without events has no figures", () => {
  expect(count(50, [[1, 0, "task.created", { agent: null }]])).toMatchObject({
    days: [],
    agents: [],
    costs: [],
    waits: [],
    handBacks: [],
    stuck: [],
    timeToLand: null,
  })
})
