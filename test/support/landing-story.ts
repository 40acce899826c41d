/** A task from its first word to its landing, as the steps by which a daemon writes it down. */

import { assert } from "../../src/base/assert.ts"
import type { JobId, LandingId, Oid, RefName, SessionId, TaskId } from "../../src/base/ids.ts"
import { addLanding } from "../../src/kernel/landing/rows/add.ts"
import { findLanding } from "../../src/kernel/landing/rows/find.ts"
import { recordGateResult } from "../../src/kernel/landing/rows/gate-results.ts"
import { claimLanding } from "../../src/kernel/landing/rows/queue.ts"
import {
  type LandingChange,
  recordIntent,
  recordLanding,
} from "../../src/kernel/landing/rows/record.ts"
import type { Db } from "../../src/kernel/store/open.ts"
import { transaction } from "../../src/kernel/store/sql.ts"
import { addTask } from "../../src/kernel/tasks/rows/add.ts"
import { findTask } from "../../src/kernel/tasks/rows/find.ts"
import { startJob } from "../../src/kernel/tasks/rows/jobs/record.ts"
import { recordTask, type TaskChange } from "../../src/kernel/tasks/rows/record.ts"
import { addSession } from "../../src/kernel/tasks/rows/sessions/record.ts"
import { recordRemoved } from "../../src/kernel/tasks/rows/task-repos/removal.ts"
import { recordLanded } from "../../src/kernel/tasks/rows/task-repos/work.ts"
import { recordWorkspace } from "../../src/kernel/tasks/rows/task-repos/workspace.ts"
import { beginTurn } from "../../src/kernel/tasks/rows/turns/begin.ts"
import { closeTurn } from "../../src/kernel/tasks/rows/turns/end.ts"
import { openTurn } from "../../src/kernel/tasks/rows/turns/open.ts"

const id = 1 as TaskId
const landing = { id: 1 as LandingId }
const job = 1 as JobId
const session = "5e551011" as SessionId
const [base, head, candidate] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [Oid, Oid, Oid]
const tokens = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
const repos = ["app", "web"].map((name) => ({ name, path: `/repos/${name}` }))

/** The events of the task or the landing, in any state. */
const task = (db: Db, event: TaskChange["event"]) =>
  assert(recordTask(db, findTask(db, id)!, { event }, 5), "the story goes on")
const moves = (db: Db, change: LandingChange) =>
  assert(recordLanding(db, findLanding(db, landing.id)!, change, 6), "the story goes on")
const inAll = <T extends object>(change: T) => repos.map(({ name }) => ({ name, ...change }))

/** Each step is one effect that is acknowledged as a whole. */
export const LANDING_STORY: readonly ((db: Db) => void)[] = [
  (db) => {
    const targets = repos.map((repo) => ({ ...repo, target: "main" }))
    const words = { title: "Greet", prompt: "Say hello.", agent: "coder", workItem: null }
    addTask(db, { ...words, land: "merge", repos: targets }, 1)
  },
  (db) =>
    transaction(db, () => {
      task(db, "started")
      startJob(db, id, 2)
      addSession(db, { id: session, job }, 2)
      openTurn(db, { task: id, session, prompt: "Say hello." }, 2)
    }),
  (db) =>
    recordWorkspace(db, {
      task: id,
      name: "app",
      branch: "agent/1",
      worktree: "/w/1",
      base,
      placed: [".env"],
    }),
  (db) => beginTurn(db, { task: id, n: 1 }, 3),
  (db) =>
    transaction(db, () => {
      const usage = { turns: 1, ...tokens, costUsd: null }
      closeTurn(db, { task: id, n: 1 }, { usage, message: "hello" }, 4)
      task(db, "landingRequested")
      const target = "refs/heads/main" as RefName
      addLanding(db, { task: id, repos: repos.map((repo) => ({ ...repo, target })) }, 4)
    }),
  (db) => moves(db, { event: "snapshotted", repos: inAll({ head }) }),
  (db) => assert(claimLanding(db, landing.id, 5), "the only landing is the first"),
  (db) => moves(db, { event: "prepared", repos: inAll({ base, candidate }) }),
  (db) => moves(db, { event: "synced" }),
  (db) => {
    const key = { tree: head, command: "npm test", environment: "" }
    recordGateResult(db, { ...key, exitCode: 0, output: "ok", durationMs: 9, wrote: null }, 5)
  },
  (db) => moves(db, { event: "passed" }),
  (db) => recordIntent(db, landing, "app", { from: base, to: candidate }),
  (db) =>
    transaction(db, () => {
      recordIntent(db, landing, "app", null)
      moves(db, { event: "published", outcome: "LANDED", repos: inAll({ published: true }) })
    }),
  (db) =>
    transaction(db, () => {
      for (const { name } of repos)
        recordLanded(db, { task: id, name, mergeBase: base, mergeTip: candidate })
      recordRemoved(db, { task: id, name: "app" })
      moves(db, { event: "cleaned" })
      task(db, "landed")
    }),
]
