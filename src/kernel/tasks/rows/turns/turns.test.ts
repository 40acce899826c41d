import { expect, test } from "vitest"
import { addSampleTask } from "../../../../../test/support/store.ts"
import type { SessionId, TaskId } from "../../../../base/ids.ts"
import { listEvents } from "../../../store/events.ts"
import { type Db, openDb } from "../../../store/open.ts"
import { removeTask } from "../deletion.ts"
import { findTask } from "../find.ts"
import { findRunningJob, listJobs } from "../jobs/find.ts"
import { startJob } from "../jobs/record.ts"
import { recordTask } from "../record.ts"
import { findSession, latestSession } from "../sessions/find.ts"
import { addSession } from "../sessions/record.ts"
import { beginTurn } from "./begin.ts"
import { closeTurn } from "./end.ts"
import { findOpenTurn, listTurns } from "./find.ts"
import { openNextTurn, openTurn } from "./open.ts"
import { sumUsage } from "./usage.ts"

const session = "5e55" as SessionId
const usage = {
  turns: 3,
  inputTokens: 10,
  outputTokens: 20,
  cacheReadTokens: 30,
  cacheWriteTokens: 40,
  costUsd: null,
}

function working() {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const job = startJob(db, task, 1)
  addSession(db, { id: session, job: job.id }, 2)
  return { db, task, job }
}

/** A job ends with the activity of its task. */
function getsStuck(db: Db, id: TaskId) {
  recordTask(db, { id, state: "registered" }, { event: "started" }, 3)
  recordTask(db, { id, state: "working" }, { event: "gotStuck" }, 4)
}

test("a task has one running job, until it stops", () => {
  const { db, task, job } = working()
  const running = {
    id: 1,
    task,
    state: "running",
    startedAtMs: 1,
    endedAtMs: null,
    heartbeatAtMs: null,
  }
  expect(job).toEqual(running)
  expect(findRunningJob(db, task)).toEqual(running)
  expect(() => startJob(db, task, 2)).toThrow("UNIQUE")
  getsStuck(db, task)
  expect(findRunningJob(db, task)).toBeUndefined()
  expect(startJob(db, task, 5).id).toBe(2)
})

test("jobs are listed with their sessions, and the latest session is the one to resume", () => {
  const { db, task, job } = working()
  addSession(db, { id: "0-later" as SessionId, job: job.id }, 2)
  getsStuck(db, task)
  const second = startJob(db, task, 5)
  expect(latestSession(db, task)).toEqual({
    id: "0-later",
    heldBy: null,
    programId: null,
    forkOf: null,
    usedAtMs: null,
  })
  expect(listJobs(db, task)).toMatchObject([
    { id: job.id, state: "ended", sessions: [session, "0-later"] },
    { id: second.id, state: "running", sessions: [] },
  ])
  expect(latestSession(db, addSampleTask(db).id)).toBeUndefined()
})

test("a conversation belongs to an agent and a work item, and goes with their last task [16.2]", () => {
  const db = openDb(":memory:")
  const add = (agent: string, workItem: string | null) => addSampleTask(db, { agent, workItem }).id
  const [first, second] = [add("coder", "gh-1"), add("coder", "gh-1")]
  const others = [add("coder", "gh-2"), add("other", "gh-1"), add("coder", null)]
  addSession(db, { id: session, job: startJob(db, first, 1).id }, 1)
  expect(latestSession(db, second)?.id).toBe(session)
  for (const other of others) expect(latestSession(db, other)).toBeUndefined()

  openNextTurn(db, { task: second, prompt: "Go on." }, 2)
  expect(listJobs(db, second)).toMatchObject([{ sessions: [session] }])
  removeTask(db, { id: first, title: "" }, [], 3)
  expect([latestSession(db, second)?.id, findOpenTurn(db, second)?.session]).toEqual([
    session,
    session,
  ])
  removeTask(db, { id: second, title: "" }, [], 4)
  expect(findSession(db, session)).toBeUndefined()
})

test("turns are numbered within their task, and one is open at a time", () => {
  const { db, task } = working()
  const first = openTurn(db, { task, session, prompt: "Say hello." }, 5)
  expect(first).toEqual({
    task,
    n: 1,
    session,
    prompt: "Say hello.",
    begunAtMs: null,
    endedAtMs: null,
    usage: null,
    declared: null,
    message: null,
    retryAtMs: null,
    waitsFor: null,
    failures: 0,
    failingSinceMs: null,
    insisted: false,
  })
  expect(() => openTurn(db, { task, session, prompt: "again" }, 6)).toThrow("UNIQUE")
  closeTurn(db, first, { usage, message: "hello" }, 7)
  expect(openTurn(db, { task, session, prompt: "And bye." }, 8).n).toBe(2)

  const { id: other } = addSampleTask(db)
  expect(openTurn(db, { task: other, session, prompt: "x" }, 9).n).toBe(1)
})

test("a turn begins once and ends once, however often this is recorded", () => {
  const { db, task } = working()
  const turn = openTurn(db, { task, session, prompt: "Say hello." }, 5)
  beginTurn(db, turn, 6)
  beginTurn(db, turn, 7)
  expect(findOpenTurn(db, task)).toEqual({ ...turn, begunAtMs: 6 })

  expect(closeTurn(db, turn, { usage, message: "hello" }, 8)).toBe(true)
  expect(closeTurn(db, turn, { usage, message: "late" }, 9)).toBe(false)
  expect(findOpenTurn(db, task)).toBeUndefined()
  const ended = { ...turn, begunAtMs: 6, endedAtMs: 8, usage, message: "hello" }
  expect(listTurns(db, task)).toEqual([ended])
  expect(findTask(db, task)?.lastMessage).toBe("hello")
  const told = listEvents(db, { after: 0, task, limit: 9 }).map(({ type, data }) => [type, data])
  expect(told.slice(1)).toEqual([
    ["job.started", { job: 1 }],
    ["turn.opened", { n: 1, session, agent: "coder" }],
    ["turn.began", { n: 1 }],
    ["turn.ended", { n: 1, usage }],
  ])
})

test("a turn without a message keeps the agent's last one", () => {
  const { db, task } = working()
  for (const message of ["hello", null])
    closeTurn(db, openTurn(db, { task, session, prompt: "x" }, 5), { usage, message }, 6)
  expect(findTask(db, task)?.lastMessage).toBe("hello")
})

test("usage is the sum over all turns; the cost counts the turns whose cost is known", () => {
  const { db, task } = working()
  expect(sumUsage(db, task)).toMatchObject({ turns: 0, costUsd: null })
  for (const costUsd of [null, 0.25, 0.5])
    closeTurn(
      db,
      openTurn(db, { task, session, prompt: "x" }, 5),
      { usage: { ...usage, costUsd }, message: null },
      6,
    )
  openTurn(db, { task, session, prompt: "still open" }, 7)
  expect(sumUsage(db, task)).toEqual({
    turns: 9,
    inputTokens: 30,
    outputTokens: 60,
    cacheReadTokens: 90,
    cacheWriteTokens: 120,
    costUsd: 0.75,
  })
})
