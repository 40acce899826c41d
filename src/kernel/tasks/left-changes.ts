/** Reports the changes that an agent left where nothing lands them. */
import { existsSync } from "node:fs"
import { AppError } from "../../base/errors.ts"
import { readStatus } from "../git/ask/status.ts"
import { displayPath } from "../git/start/git-path.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import { listFolderChanges } from "../workspaces/folder-state.ts"
import { followWorktree } from "../workspaces/follow-worktree.ts"
import { isPlaced } from "../workspaces/placed-files.ts"
import type { Rows } from "./context.ts"
import type { Task } from "./rows/row.ts"
import type { Reason } from "./rules.ts"

/** A notice is one line. */
const NAMED_MAX = 10

/**
 * Reports files that an agent changed although it was only asked to plan.
 *
 * The changes stay where they are, and land only with the work that follows the plan.
 */
export async function reportPlanChanges({ db, world }: Rows, task: Task): Promise<void> {
  const paths: string[] = []
  for (const { worktree, placed } of task.repos) {
    if (worktree === null || !existsSync(worktree)) continue
    const { staged, unstaged, untracked } = await readStatus(worktree)
    const all = [...staged, ...unstaged, ...untracked].filter((path) => !isPlaced(path, placed))
    paths.push(...all.map(displayPath))
  }
  if (paths.length === 0) return
  const named = [...new Set(paths)].slice(0, NAMED_MAX).join(", ")
  const text = `The agent changed files while planning: ${named}. They are not landed with the plan.`
  const nowMs = world.nowMs()
  transaction(db, () => {
    appendEvent(db, { type: "plan.changes", task: task.id, data: { notices: [text] } }, nowMs)
    appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, nowMs)
  })
}

/** Reports a worktree that is gone when its agent stops: uncommitted changes went with it. */
export function reportLostWorktree({ db, world }: Rows, task: Task): void {
  if (task.strategy === "static") return
  const repos = task.repos.map((repo) => followWorktree(db, task, repo))
  const lost = repos.flatMap(({ worktree }) => (worktree && !existsSync(worktree) ? worktree : []))
  if (lost.length === 0) return
  const text = `Gone while the agent worked: ${lost.join(", ")}. Only its commits land.`
  const nowMs = world.nowMs()
  transaction(db, () => {
    appendEvent(db, { type: "worktree.lost", task: task.id, data: { notices: [text] } }, nowMs)
    appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, nowMs)
  })
}

/** How many paths are named; `git status` shows the others. */
const FOLDER_NAMED_MAX = 5

/**
 * Describes what an agent has left in a static folder.
 *
 * @returns the reason with which the task is complete.
 */
export async function describeFolderChanges({ repos }: Task): Promise<Reason> {
  const parts: string[] = []
  for (const { path, asFound } of repos) {
    const changed = asFound === null ? "unknown" : await listChanged(path, asFound)
    if (typeof changed === "string") parts.push(`changes in ${path} are unknown`)
    else if (changed.length > 0) parts.push(`${sum(changed)} in ${path}`)
  }
  if (parts.length === 0) return { code: "no_changes", text: "Nothing changed." }
  return { code: "left_in_place", text: `The work stays where it is: ${parts.join("; ")}.` }
}

/** The work is done, so a failure to list the changes is ignored. */
async function listChanged(...asked: Parameters<typeof listFolderChanges>) {
  try {
    return await listFolderChanges(...asked)
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return "unknown"
  }
}

function sum(paths: Awaited<ReturnType<typeof listFolderChanges>>): string {
  const named = paths.slice(0, FOLDER_NAMED_MAX).map(displayPath).join(", ")
  const more = paths.length > FOLDER_NAMED_MAX ? ", …" : ""
  return `${paths.length} changed file${paths.length === 1 ? "" : "s"} (${named}${more})`
}
