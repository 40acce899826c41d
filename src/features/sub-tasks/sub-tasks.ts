/**
 * Gives the ends of sub-tasks to their parents.
 *
 * The rows say what is left to do, and one transaction does it, so each happens once.
 */

import type { ConfiguredHome } from "../../api/fleet.ts"
import { AppError } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { listFileDiffs } from "../../kernel/git/ask/diff-tree.ts"
import { displayPath } from "../../kernel/git/start/git-path.ts"
import type { HandBackDetails } from "../../kernel/landing/prompts/hand-back.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import { diffWork } from "../../kernel/landing/snapshot/work-diff.ts"
import { StoreLoop } from "../../kernel/store/loop.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { endReport } from "./prompts.ts"
import { listUnreported, reportEnd } from "./rows.ts"

type Context = Pick<ConfiguredHome, "db" | "world">

export function followSubTasks(
  context: Context,
  onError: (task: TaskId | undefined, error: unknown) => void,
): StoreLoop<TaskId> {
  const { db, world } = context
  return new StoreLoop<TaskId>(db, {
    onError,
    list: (busy) => listUnreported(db).filter((id) => !busy.has(id)),
    drive: async (id) => {
      const task = findTask(db, id)
      if (!task) return
      const text = await describeEnd(context, task)
      // A person may have acted on it in the meantime.
      if (findTask(db, id)?.updatedAtMs === task.updatedAtMs)
        reportEnd(db, task, text, world.nowMs())
    },
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    neverGivesUp: () => true,
  })
}

async function describeEnd({ db }: Context, task: Task): Promise<string> {
  const landing = findLandingOfTask(db, task.id)
  const details = task.state === "complete" ? null : (landing?.details as HandBackDetails | null)
  const changes = await listSizes(task, landing)
  return endReport({ ...task, end: endOf(task, landing?.state), changes, details })
}

/** The lines that were added and removed in each file. */
async function listSizes(task: Task, landing: Landing | undefined): Promise<string[]> {
  const lines: string[] = []
  for (const repo of task.repos) {
    const name = task.repos.length > 1 ? `${repo.name}: ` : ""
    try {
      const found = await diffWork(repo, { task, landing, against: "base" })
      if (typeof found === "string") continue
      for (const { path, added, removed } of await listFileDiffs(repo.path, found.from, found.to)) {
        const size = added === undefined ? "(binary)" : `+${added} -${removed}`
        lines.push(`${name}${displayPath(path)} ${size}`)
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      lines.push(`${name}cannot be read: ${error.message}`)
    }
  }
  return lines
}

/** As a sentence. */
function endOf({ state, reason, repos }: Task, landing: string | undefined): string {
  const why = reason === null ? "" : `: ${reason.text}`
  if (state === "cancelled") return "A person cancelled it."
  if (state === "stuck") return `It is stuck, and a person was asked to look${why}`
  if (state === "merge_failed") return `Its landing failed, and a person was asked to look${why}`
  if (landing !== "landed" || reason) return `It is complete${why}`
  const targets = repos.map(({ target, mergeTip }) => `${target} (${mergeTip ?? "unchanged"})`)
  return `It is complete, and its work has landed on ${targets.join(", ")}.`
}
