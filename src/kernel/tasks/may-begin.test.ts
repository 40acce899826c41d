import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import type { AgentConfig, Config } from "../../config/config.ts"
import { defaultConfig } from "../../config/parse.ts"
import { listEvents } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { type Db, openDb } from "../store/open.ts"
import { resume } from "./actions/resume.ts"
import type { JobsContext } from "./context.ts"
import { type Blocking, costLeft, findBlocker, recordLimit } from "./may-begin.ts"
import { findAccountLimit } from "./rows/accounts.ts"
import { findTask } from "./rows/find.ts"
import { startJob } from "./rows/jobs/record.ts"
import { listDueTasks } from "./rows/list-due.ts"
import { addSession } from "./rows/sessions/record.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { closeTurn, interruptTurn } from "./rows/turns/end.ts"
import { findOpenTurn, listTurns } from "./rows/turns/find.ts"
import { openTurn } from "./rows/turns/open.ts"
import { findNextRetry } from "./rows/turns/postpone.ts"
import { noteUsage, sumSpentSince } from "./rows/turns/usage.ts"
import { NO_USAGE } from "./rules/usage.ts"
import { postpone } from "./run-turns.ts"

const NOON = Date.UTC(2026, 1, 3, 12)
const ACCOUNT = "claude:/home/x/.claude"
const [AGENT] = defaultConfig("app").agents as [AgentConfig]

type Rules = Partial<Pick<AgentConfig, "budget">> & { readonly limits?: Partial<Config["limits"]> }

/**
 * A task that has had one turn of a minute, 1,000 tokens and half a dollar, and has a second one
 * open.
 */
function secondTurn({ budget = {}, limits = {} }: Rules) {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  const session = "5e55" as SessionId
  addSession(db, { id: session, job: startJob(db, id, NOON).id }, NOON)
  const first = openTurn(db, { task: id, session, prompt: "go" }, NOON)
  beginTurn(db, first, NOON)
  const usage = { ...NO_USAGE, inputTokens: 1_000, costUsd: 0.5 }
  closeTurn(db, first, { usage, message: null }, NOON + 60_000)
  const turn = openTurn(db, { task: id, session, prompt: "go on" }, NOON)
  const fallbacks = { takeOver: async () => false, patienceMs: () => undefined }
  const context: Blocking & Pick<JobsContext, "fallbacks"> = {
    fallbacks,
    db,
    world: { nowMs: () => NOON + 60_000, dice: () => 0.5, point: () => {} },
    findAgent: () => ({ ...AGENT, budget }),
    limits: () => ({ concurrent: 4, perDay: {}, reserve: 0, ...limits }),
    account: () => ACCOUNT,
  }
  return { db, id, turn, context }
}

const isDue = (db: Db, id: TaskId, nowMs: number) =>
  listDueTasks(db, nowMs).some((due) => due.id === id)

test.each([
  [{ turns: 1 }, "1 turns"],
  [{ timeMs: 60_000 }, "60 s of work"],
  [{ tokens: 1_000 }, "1000 tokens"],
  [{ costUsd: 0.5 }, "$0.5"],
])("a budget of %j that is used up stops the task", (budget, text) => {
  const { context, id } = secondTurn({ budget })
  const blocker = findBlocker(context, id)
  expect(blocker).toMatchObject({ kind: "stuck", text: expect.stringContaining(text) })
  expect(blocker?.text).toContain("agents.claude.budget")
})

test("within its budget a task goes on, and its program knows what it may still cost", () => {
  const { context, id } = secondTurn({ budget: { turns: 2, tokens: 1_001, costUsd: 0.75 } })
  expect(findBlocker(context, id)).toBeUndefined()
  expect(costLeft(context, id, { costUsd: 0.75 })).toBe(0.25)
  expect(costLeft(context, id, {})).toBeUndefined()
})

test("a restarted task has its budget again", () => {
  const { context, db, id } = secondTurn({ budget: { turns: 1 } })
  closeTurn(db, findOpenTurn(db, id)!, { usage: NO_USAGE, message: null }, NOON)
  db.prepare("update jobs set state = 'ended'").run()
  startJob(db, id, NOON)
  expect(findBlocker(context, id)).toBeUndefined()
})

test("spending of an attempt that did not end its turn counts; time in which the turn was postponed does not [15.11]", () => {
  const budget = { costUsd: 0.75, timeMs: 120_000 }
  const { context, db, id, turn } = secondTurn({ budget })
  beginTurn(db, turn, NOON + 60_000)
  noteUsage(db, turn, { ...NO_USAGE, turns: 0, costUsd: 0.2 })
  appendLog(db, { task: id, turn: turn.n, kind: "text", text: "its last word" }, NOON + 70_000)
  beginTurn(db, turn, NOON + 7_200_000) // after a crash
  interruptTurn(db, turn, NOON + 7_201_000)
  interruptTurn(db, turn, NOON + 9_000_000)
  expect(sumSpentSince(db, NOON)).toMatchObject({ turns: 1, timeMs: 71_000, costUsd: 0.7 })
  expect(findBlocker(context, id)).toBeUndefined()
  beginTurn(db, turn, NOON + 9_000_000)
  closeTurn(db, turn, { usage: NO_USAGE, message: null }, NOON + 9_001_000)
  noteUsage(db, turn, { ...NO_USAGE, turns: 0, costUsd: 0.05 }) // reported after its agent said `stuck`
  expect(sumSpentSince(db, NOON)).toMatchObject({ turns: 2, timeMs: 72_000, costUsd: 0.75 })
  expect(findBlocker(context, id)?.text).toContain("$0.75")
  expect(listTurns(db, id).at(-1)?.usage?.turns).toBe(1)
})

test.each([{ costUsd: 0.5 }, { turns: 1 }, { timeMs: 60_000 }])(
  "a daily limit (%j) makes turns wait, and is checked again",
  (perDay) => {
    const { context, id } = secondTurn({ limits: { perDay } })
    expect(findBlocker(context, id)).toMatchObject({
      kind: "postponed",
      atMs: NOON + 6 * 60_000,
      text: expect.stringContaining("limits.per_day"),
      isFailure: false,
    })
  },
)

test("an account at its limit, or at the reserve for a person, starts nothing until the reset [15.12]", () => {
  const limits = { reserve: 0.2 }
  const { context, db, id } = secondTurn({})
  context.limits = () => ({ concurrent: 4, perDay: {}, ...limits })
  const resetAtMs = NOON + 3_600_000
  recordLimit(context, { account: ACCOUNT }, { share: 0.79, resetAtMs, name: "5-hour limit" })
  recordLimit(context, { account: null }, { share: 1, resetAtMs, name: "5-hour limit" })
  expect(findBlocker(context, id)).toBeUndefined()
  recordLimit(context, { account: ACCOUNT }, { share: 0.8, resetAtMs, name: "5-hour limit" })
  expect(findBlocker(context, id)).toMatchObject({
    kind: "postponed",
    atMs: NOON + 6 * 60_000, // checked again: the reserve may be smaller by then
    text: expect.stringMatching(/5-hour limit.* at 2026-02-03T13:00.*20% of it is kept for you/),
  })
  limits.reserve = 0.1
  expect(findBlocker(context, id)).toBeUndefined()
  recordLimit(context, { account: ACCOUNT }, { share: 1, resetAtMs, name: "5-hour limit" })
  recordLimit(
    context,
    { account: ACCOUNT },
    { share: 0.9, resetAtMs: resetAtMs + 1, name: "weekly limit" },
  )
  limits.reserve = 0
  expect(findBlocker(context, id)).toMatchObject({ kind: "postponed", atMs: resetAtMs })
  const full = { account: ACCOUNT, shareMin: 1 }
  expect(findAccountLimit(db, full, resetAtMs)).toBeUndefined()
})

test("a postponed turn is due at its time and not before; repeated failures are logged once each", () => {
  const { context, db, id, turn } = secondTurn({})
  const down = { kind: "postponed", untilMs: null, text: "the model API" } as const
  expect(isDue(db, id, NOON)).toBe(true)
  expect(postpone(context, turn, down)).toBe(true)
  const retryAtMs = findNextRetry(db, NOON)!
  expect(retryAtMs).toBe(NOON + 60_000 + 22_500)
  expect(isDue(db, id, retryAtMs - 1)).toBe(false)
  expect(isDue(db, id, retryAtMs)).toBe(true)
  const reset = { kind: "postponed", untilMs: NOON + 7_200_000, text: "the limit" } as const
  for (let look = 0; look < 3; look++) expect(postpone(context, turn, reset)).toBe(true)
  expect(findNextRetry(db, NOON)).toBe(NOON + 7_200_000)
  for (let tries = 2; tries < 12; tries++) expect(postpone(context, turn, down)).toBe(true)
  expect(postpone(context, turn, down)).toBe(false)
  const told = listEvents(db, { after: 0, limit: 100 }).filter(
    ({ type }) => type === "turn.postponed",
  )
  expect(told).toHaveLength(12)
  beginTurn(db, turn, NOON)
  expect(findOpenTurn(db, id)).toMatchObject({ retryAtMs: null, waitsFor: null })
})

test("resuming a postponed task tries it at once, whatever its account's limit [15.12]", () => {
  const { context, db, id, turn } = secondTurn({})
  const resumed = (text?: string) =>
    resume(
      { ...context, findAttached: () => undefined },
      findTask(db, id)!,
      text === undefined ? {} : { text },
    )
  resumed() // under way already: nothing changes
  expect(findOpenTurn(db, id)?.insisted).toBe(false)
  const untilMs = NOON + 7_200_000
  const full = { share: 1, resetAtMs: untilMs, name: "5-hour limit" }
  const limit = { kind: "postponed", untilMs, text: "the limit" } as const
  recordLimit(context, { account: ACCOUNT }, full)
  postpone(context, turn, { ...limit, untilMs: null })
  postpone(context, turn, limit)
  expect(isDue(db, id, NOON + 60_000)).toBe(false)
  resumed("And hurry.")
  expect(isDue(db, id, NOON + 60_000)).toBe(true)
  expect(findBlocker(context, id)).toBeUndefined()
  expect(findOpenTurn(db, id)).toMatchObject({ failures: 0, waitsFor: null })
  expect(listEvents(db, { after: 0, limit: 99 }).map(({ type }) => type)).toContain("turn.hastened")
  postpone(context, turn, limit) // the API still refuses it
  expect(findBlocker(context, id)).toMatchObject({ kind: "postponed", atMs: untilMs })
})

test("postponing applies to the session's current turn, not to its first one", () => {
  const { context, db, id, turn } = secondTurn({})
  closeTurn(db, turn, { usage: NO_USAGE, message: null }, NOON)
  const third = openTurn(db, { task: id, session: turn.session, prompt: "more" }, NOON)
  expect(postpone(context, turn, { kind: "postponed", untilMs: null, text: "its model" })).toBe(
    true,
  )
  expect(findOpenTurn(db, id)).toMatchObject({ n: third.n, waitsFor: "its model", failures: 1 })
  expect(isDue(db, id, NOON + 60_000)).toBe(false)
})
