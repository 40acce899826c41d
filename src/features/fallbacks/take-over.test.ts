import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { agentOfTask, type WorkedBy } from "../../config/agent-of-task.ts"
import type { AgentConfig } from "../../config/config.ts"
import { defaultConfig } from "../../config/parse.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findBlocker } from "../../kernel/tasks/may-begin.ts"
import { limitAccount } from "../../kernel/tasks/rows/accounts.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listJobs } from "../../kernel/tasks/rows/jobs/find.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { addMessage } from "../../kernel/tasks/rows/messages.ts"
import { listWaitingMessages, recordDeliveredNow } from "../../kernel/tasks/rows/messages-now.ts"
import { recordRestart } from "../../kernel/tasks/rows/restarts.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { findOpenTurn, listTurns, type Turn } from "../../kernel/tasks/rows/turns/find.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { postpone } from "../../kernel/tasks/run-turns.ts"
import { forksIn } from "../forks/forks.ts"
import { fallbacksOf, findInability, takeOver } from "./take-over.ts"

const MINUTE_MS = 60_000
const [BASE] = defaultConfig("app").agents as [AgentConfig]
const DOWN = { kind: "postponed", untilMs: null, text: "the model API" } as const
const SAID = { cause: "refused", text: "log in" } as const

/** A working task of `x`, whose fallbacks are `y` and `z`. Each agent has an account of its own. */
function working(overrides: Readonly<Record<string, Partial<AgentConfig>>> = {}) {
  const db = openDb(":memory:")
  const now = { ms: 1_000_000 }
  const agents = ["x", "y", "z"].map((name) => ({
    ...BASE,
    name,
    model: `model of ${name}`,
    fallback: name === "x" ? ["y", "z"] : ["x"],
    ...overrides[name],
  }))
  const { id } = addSampleTask(db, { agent: "x" })
  forceState(db, id, "working")
  let sessions = 0
  const mintSessionId = () => `session-${++sessions}` as SessionId
  const session = mintSessionId()
  addSession(db, { id: session, job: startJob(db, id, 1).id }, 1)
  openTurn(db, { task: id, session, prompt: "go" }, 1)
  const parts = {
    db,
    world: { nowMs: () => now.ms, dice: () => 0.5, point: () => {} },
    findAgent: (task: WorkedBy) => agentOfTask({ agents }, task),
    limits: () => ({ concurrent: 4, perDay: {}, reserve: 0 }),
    account: ({ name }: AgentConfig) => `account of ${name}`,
    changedFiles: async () => ({ files: ["M half.txt"], inAll: 1 }),
    forks: forksIn(db),
    mintSessionId,
  }
  const context = { ...parts, fallbacks: fallbacksOf(parts) }
  const turn = () => findOpenTurn(db, id) as Turn
  const task = () => findTask(db, id)!
  const limit = (name: string, untilMs: number, share = 1) =>
    limitAccount(db, { account: `account of ${name}`, name: "weekly limit", share, untilMs }, 1)
  return { db, id, now, context, turn, task, limit, agent: () => context.findAgent(task()) }
}

test("a fallback takes over in a new job and conversation, with its own program and a brief [50.1]", async () => {
  const { context, db, id, turn, task, agent } = working()
  const first = turn()
  expect(await takeOver(context, first, SAID)).toBe(true)
  expect(task()).toMatchObject({ agent: "x", standIn: { agent: "y", ...SAID } })
  expect(agent()).toMatchObject({ name: "y", model: "model of y", fallback: ["y", "z"] })
  expect(turn()).toMatchObject({ n: 2, session: "session-2", begunAtMs: null })
  expect(turn().prompt).toMatch(/go[^]*y takes over from x, which is refused: log in[^]*half\.txt/)
  expect(listJobs(db, id)).toMatchObject([
    { state: "ended", sessions: ["session-1"] },
    { state: "running", sessions: ["session-2"] },
  ])
  const kept = db.prepare("select agent from sessions order by id").all()
  expect(kept).toEqual([{ agent: "x" }, { agent: "y" }])
  // The decision of a session that is over changes nothing.
  expect(await takeOver(context, first, SAID)).toBe(false)
  expect(listTurns(db, id)).toHaveLength(2)
})

test("refused agents are passed over once each, and then a person decides [50.2]", async () => {
  const { context, turn, task } = working()
  expect(await takeOver(context, turn(), SAID)).toBe(true)
  expect(await takeOver(context, turn(), SAID)).toBe(true)
  expect(task().standIn?.agent).toBe("z")
  expect(await takeOver(context, turn(), SAID)).toBe(false)
  expect(task().standIn?.agent).toBe("z")
})

test("limits are kept for each account: an agent out of quota is passed over, and gets the task back after its reset [50.3]", async () => {
  const { context, id, now, turn, task, limit, agent } = working({ y: { reserve: 0.5 } })
  limit("x", now.ms + 60 * MINUTE_MS)
  limit("y", now.ms + 60 * MINUTE_MS, 0.6) // less than full, but the reserve of y begins at half
  expect(findBlocker(context, id)).toMatchObject({ limitedUntilMs: now.ms + 60 * MINUTE_MS })
  const inability = findInability(context, turn(), { ...DOWN, untilMs: now.ms + 60 * MINUTE_MS })
  expect(inability).toMatchObject({ cause: "limit" })
  expect(await takeOver(context, turn(), inability!)).toBe(true)
  expect(task().standIn?.agent).toBe("z")
  expect(findBlocker(context, id)).toBeUndefined()

  limit("z", now.ms + 300 * MINUTE_MS)
  expect(await takeOver(context, turn(), inability!)).toBe(false) // none is free
  now.ms += 61 * MINUTE_MS
  expect(await takeOver(context, turn(), inability!)).toBe(true)
  expect(task().standIn).toBeNull()
  expect(agent()?.name).toBe("x")
})

test("a limit that is reset within fallback_after is waited for [50.3]", () => {
  const { context, now, turn } = working()
  const end = (ms: number) => findInability(context, turn(), { ...DOWN, untilMs: now.ms + ms })
  expect(end(10 * MINUTE_MS)).toBeUndefined()
  expect(end(10 * MINUTE_MS + 1)).toBeDefined()
})

test("a model that is unavailable for fallback_after loses its task, and is tried until then [50.4]", () => {
  const { context, now, turn } = working()
  const sinceMs = now.ms
  const tried = [sinceMs]
  while (findInability(context, turn(), DOWN) === undefined) {
    expect(postpone(context, turn(), DOWN)).toBe(true)
    now.ms = turn().retryAtMs!
    tried.push(now.ms)
  }
  expect(now.ms - sinceMs).toBe(10 * MINUTE_MS)
  expect(tried.length).toBeGreaterThan(3)
  expect(findInability(context, turn(), DOWN)).toMatchObject({ cause: "unavailable" })
  // Without an agent to take over, it is tried again later, not at once.
  postpone(context, turn(), DOWN)
  expect(turn().retryAtMs).toBeGreaterThan(now.ms + MINUTE_MS)
})

test("a review is never handed to a fallback, and no agent without any has one [50.5]", async () => {
  const { context, db, id, turn } = working()
  db.prepare("update tasks set review_of = 7").run()
  expect(findInability(context, turn(), { kind: "missing", text: "x" })).toBeUndefined()
  expect(await takeOver(context, turn(), SAID)).toBe(false)
  db.prepare("update tasks set review_of = null").run()
  const alone = { ...context, findAgent: () => ({ ...BASE, fallback: [] }) }
  expect(findInability(alone, turn(), { kind: "missing", text: "x" })).toBeUndefined()
  expect(listTurns(db, id)).toHaveLength(1)
})

test("a person's restart goes back to the first agent, and one by Coppice does not [50.6]", async () => {
  const { context, db, id, turn, task } = working()
  await takeOver(context, turn(), SAID)
  recordRestart(db, id, "coppice")
  expect(task().standIn?.agent).toBe("y")
  recordRestart(db, id, "person")
  expect(task().standIn).toBeNull()
})

test("a fallback that was taken off the list, whose fences no one checks any more, works no longer [50.7]", async () => {
  const overrides: Record<string, Partial<AgentConfig>> = { x: {} }
  const { context, turn, task } = working(overrides)
  await takeOver(context, turn(), SAID)
  const agents = ["x", "y"].map((name) => ({ ...BASE, name, fallback: [] }))
  expect(agentOfTask({ agents }, task())?.name).toBe("x")
})

test("the work of a fallback is checked if it or the agent before it is contained [50.7]", async () => {
  const commands = ["./notify.sh"]
  for (const name of ["x", "y"]) {
    const fleet = working({ [name]: { outside: commands } })
    await takeOver(fleet.context, fleet.turn(), SAID)
    expect(fleet.context.findAgent(fleet.task())).toMatchObject({ name: "y", outside: commands })
  }
})

test("a fallback has the messages that the agent got while it worked, and those that no agent has got [50.1]", async () => {
  const { context, db, id, turn } = working()
  addMessage(db, { task: id, text: "Leave the tests alone.", isNow: true }, 2)
  recordDeliveredNow(db, turn(), listWaitingMessages(db, id), 2)
  addMessage(db, { task: id, text: "Use tabs.", isNow: true }, 3)
  await takeOver(context, turn(), SAID)
  expect(turn().prompt).toContain("Leave the tests alone.")
  expect(listWaitingMessages(db, id)).toMatchObject([{ text: "Use tabs." }]) // joins as the turn begins
  await takeOver(context, turn(), SAID)
  expect(turn().prompt).toContain("Leave the tests alone.")
})

test("agents whose accounts are not known do not hand a task to and fro, since each may be at its limit [50.3]", async () => {
  const { context, now, turn, task } = working()
  const unknown = { ...context, account: () => null }
  const inability = findInability(unknown, turn(), { ...DOWN, untilMs: now.ms + 60 * MINUTE_MS })!
  for (const name of ["y", "z"]) {
    expect(await takeOver(unknown, turn(), inability)).toBe(true)
    expect(task().standIn?.agent).toBe(name)
  }
  expect(await takeOver(unknown, turn(), inability)).toBe(false)
})
