/** Stacks: a task starts from the work of another one. */
import { sectionOf } from "../../api/documents/feature-parts.ts"
import type { Feature } from "../../api/feature.ts"
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listPullRequests } from "../pull-requests/rows.ts"
import { findBelow } from "./pull-base.ts"
import { findAwaitedLower, findLower, listAllLower } from "./rows.ts"

export const stacks: Feature = {
  name: "stacks",
  uses: ["pull-requests"],
  section: sectionOf(
    (db, task) => findLower(db, task)?.id,
    listAllLower,
    (lower) => ({ on: lower === undefined ? null : String(lower) }),
  ),
  why: {
    facts: (db, { id }, landing) => ({
      lower: awaitedLower(db, id),
      landing: landing && { lower: lowerWithoutPull(db, id) },
    }),
  },
}

function awaitedLower(db: Db, id: TaskId) {
  const task = findAwaitedLower(db, id)
  return task === undefined
    ? null
    : { task, isCancelled: findTask(db, task)?.state === "cancelled" }
}

function lowerWithoutPull(db: Db, task: TaskId): TaskId | null {
  for (const pull of listPullRequests(db, task)) {
    const below = findBelow(db, task, pull)
    if (below.kind === "later") return below.task
  }
  return null
}
