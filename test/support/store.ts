/** Rows to test with, made by the statements that the program makes them with. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  branchRef,
  type Oid,
  type RefName,
  type SessionId,
  type TaskId,
} from "../../src/base/ids.ts"
import { addLanding } from "../../src/kernel/landing/rows/add.ts"
import { recordLanding } from "../../src/kernel/landing/rows/record.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import type { Db } from "../../src/kernel/store/open.ts"
import { sql } from "../../src/kernel/store/sql.ts"
import { addTask, type TaskToAdd } from "../../src/kernel/tasks/rows/add.ts"
import { startJob } from "../../src/kernel/tasks/rows/jobs/record.ts"
import type { Task } from "../../src/kernel/tasks/rows/row.ts"
import { addSession } from "../../src/kernel/tasks/rows/sessions/record.ts"
import type { TaskState } from "../../src/kernel/tasks/rules.ts"

/** A folder for database files, gone at the end of the scope. */
export class TestFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "store-"));

  [Symbol.dispose]() {
    rmSync(this.path, { recursive: true, force: true })
  }
}

const SAMPLE: TaskToAdd = {
  title: "Greet people",
  prompt: "Say hello.\n",
  agent: "coder",
  workItem: null,
  land: "merge",
  repos: [{ name: "app", path: "/repos/app", target: "main" }],
}

export function addSampleTask(db: Db, task: Partial<TaskToAdd> = {}): Task {
  return addTask(db, { ...SAMPLE, ...task }, 1000)
}

/** Puts a task into a state by force: no arrow has to lead there. */
export function forceState(
  db: Db,
  id: TaskId,
  state: TaskState,
  returnsTo: TaskState | null = null,
) {
  sql(
    db,
    `update tasks set state = :state, stuck_in = case when :state = 'stuck' then :returnsTo end,
       paused_in = case when :state = 'paused' then :returnsTo end where id = :id`,
  ).run({ id, state, returnsTo })
}

/** A landing of a new task, in state `snapshotting`; each target is a `path:branch`. */
export function addSampleLanding(
  db: Db,
  targets = ["/repos/app:main"],
  nowMs = 1000,
  order: Pick<TaskToAdd, "priority" | "after"> = {},
): Landing {
  const repos = targets.map((target, n) => {
    const [path = "", branch = ""] = target.split(":")
    return { name: `r${n}`, path, branch }
  })
  const task = addSampleTask(db, {
    ...order,
    repos: repos.map(({ name, path, branch }) => ({ name, path, target: branch })),
  })
  const submitted = repos.map(({ name, path, branch }) => {
    return { name, path, target: `refs/heads/${branch}` as RefName }
  })
  return addLanding(db, { task: task.id, repos: submitted }, nowMs)
}

/** Gives a task, in any state, a session and a landing without an approval. */
export function putInReview(db: Db, task: Task): Landing {
  const job = startJob(db, task.id, 1)
  addSession(db, { id: `session-${task.id}` as SessionId, job: job.id }, 1)
  const repos = task.repos.map(({ name, path, target }) => ({
    name,
    path,
    target: branchRef(target),
  }))
  const landing = addLanding(db, { task: task.id, repos }, 1)
  const reviewed = repos.map(({ name }) => ({ name, head: SEEN.head, base: SEEN.base }))
  recordLanding(db, landing, { event: "reviewRequested", repos: reviewed }, 2)
  return landing
}

/** The commits of {@link putInReview}. */
export const SEEN = { head: "a".repeat(40) as Oid, base: "b".repeat(40) as Oid }

/** A job that has ended, with a conversation that can be gone on with. */
export function addSampleSession(db: Db, task: TaskId): SessionId {
  const session = `session-${task}` as SessionId
  addSession(db, { id: session, job: startJob(db, task, 1000).id }, 1000)
  sql(db, "update jobs set state = 'ended'").run()
  return session
}
