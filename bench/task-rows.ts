/** Tasks in the store without the work: the rows that a daemon writes, by its own statements. */

import { assert } from "../src/base/assert.ts"
import { branchRef, type LandingId, type Oid, type SessionId } from "../src/base/ids.ts"
import { addLanding } from "../src/kernel/landing/rows/add.ts"
import { findLanding } from "../src/kernel/landing/rows/find.ts"
import { claimLanding } from "../src/kernel/landing/rows/queue.ts"
import { type LandingChange, recordLanding } from "../src/kernel/landing/rows/record.ts"
import { submitWork } from "../src/kernel/landing/submit-work.ts"
import type { Db } from "../src/kernel/store/open.ts"
import { transaction } from "../src/kernel/store/sql.ts"
import { addTask } from "../src/kernel/tasks/rows/add.ts"
import { findTask } from "../src/kernel/tasks/rows/find.ts"
import { startJob } from "../src/kernel/tasks/rows/jobs/record.ts"
import { recordTask, type TaskChange } from "../src/kernel/tasks/rows/record.ts"
import type { Task } from "../src/kernel/tasks/rows/row.ts"
import { addSession } from "../src/kernel/tasks/rows/sessions/record.ts"
import { recordWorkspace } from "../src/kernel/tasks/rows/task-repos/workspace.ts"
import { beginTurn } from "../src/kernel/tasks/rows/turns/begin.ts"
import { closeTurn } from "../src/kernel/tasks/rows/turns/end.ts"
import { openTurn } from "../src/kernel/tasks/rows/turns/open.ts"
import { NO_USAGE } from "../src/kernel/tasks/rules/usage.ts"

export type Work = {
  /** Path of the repository. */
  readonly path: string
  readonly branch: string
  readonly base: Oid
  readonly head: Oid
}

const NAME = "repo"
const NOW_MS = Date.now()

/** A task whose agent is done, and whose landing is about to be prepared. */
export function addClaimedLanding(db: Db, { path, branch, base, head }: Work): LandingId {
  const title = `Do what ${branch} is for, as one line of a list says it`
  const place = { name: NAME, path, target: "main" }
  const words = { title, prompt: title, agent: "sh", workItem: null, land: "merge" } as const
  const task = addTask(db, { ...words, repos: [place] }, NOW_MS)
  runTurn(db, task)
  const worktree = `${path}.worktrees/${task.id}`
  recordWorkspace(db, { task: task.id, name: NAME, branch, worktree, base, placed: [] })
  change(db, task, "landingRequested")
  const repos = [{ ...place, target: branchRef("main") }]
  const { id } = addLanding(db, { task: task.id, repos }, NOW_MS)
  move(db, id, { event: "snapshotted", repos: [{ name: NAME, head }] })
  assert(claimLanding(db, id, NOW_MS), "there is no other landing in flight")
  return id
}

/** Work that no agent of ours did, its snapshot taken. */
export function addQueuedWork(db: Db, { path, branch, base, head }: Work): LandingId {
  const repos = [{ name: NAME, path, target: "main", branch, base }]
  const { landing } = submitWork(db, { title: branch, repos }, NOW_MS)
  move(db, landing.id, { event: "snapshotted", repos: [{ name: NAME, head }] })
  return landing.id
}

/** Records the rest of a landing. */
function recordLandedTask(db: Db, id: LandingId, candidate: Oid): void {
  move(db, id, { event: "prepared", repos: [{ name: NAME, base: candidate, candidate }] })
  move(db, id, { event: "synced" })
  move(db, id, { event: "passed" })
  move(db, id, { event: "published", outcome: "LANDED" })
  move(db, id, { event: "cleaned" })
  const task = findTask(db, findLanding(db, id)!.task)
  change(db, task!, "landed")
}

/** Tasks that have landed, as a fleet has them after some weeks. @param head of the target. */
export function addLandedTasks(db: Db, path: string, head: Oid, count: number): void {
  transaction(db, () => {
    for (let n = 1; n <= count; n++) {
      const work = { path, branch: `agent/sh/task-${n}`, base: head, head }
      recordLandedTask(db, addClaimedLanding(db, work), head)
    }
  })
}

/** A task whose agent was given its first turn, and was cut off. */
export function addWorkingTask(db: Db, path: string): void {
  const repos = [{ name: NAME, path, target: "main" }]
  const words = {
    title: "Go on",
    prompt: "go on",
    agent: "sh",
    workItem: null,
    land: "merge",
  } as const
  const task = addTask(db, { ...words, repos }, NOW_MS)
  change(db, task, "started")
  const job = startJob(db, task.id, NOW_MS)
  const session = `session-${task.id}` as SessionId
  addSession(db, { id: session, job: job.id }, NOW_MS)
  beginTurn(db, openTurn(db, { task: task.id, session, prompt: task.prompt }, NOW_MS), NOW_MS)
}

function runTurn(db: Db, task: Task): void {
  change(db, task, "started")
  const job = startJob(db, task.id, NOW_MS)
  const session = `session-${task.id}` as SessionId
  addSession(db, { id: session, job: job.id }, NOW_MS)
  const turn = openTurn(db, { task: task.id, session, prompt: task.prompt }, NOW_MS)
  closeTurn(db, turn, { usage: { ...NO_USAGE, turns: 1 }, message: "done" }, NOW_MS)
}

function change(db: Db, { id }: Pick<Task, "id">, event: TaskChange["event"]): void {
  const task = findTask(db, id)
  assert(task && recordTask(db, task, { event }, NOW_MS), `the task accepts ${event}`)
}

function move(db: Db, id: LandingId, moved: LandingChange): void {
  const landing = findLanding(db, id)
  assert(landing && recordLanding(db, landing, moved, NOW_MS), "the landing moves on")
}
