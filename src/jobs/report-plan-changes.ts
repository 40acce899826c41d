/** Reports files that an agent changed although it was only asked to plan. */
import { existsSync } from "node:fs"
import { readStatus } from "../git/ask/status.ts"
import { displayPath } from "../git/start/path.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import type { Task } from "../store/tasks/row.ts"
import { isPlaced } from "../workspaces/placed.ts"
import type { Rows } from "./context.ts"

/** A notice is one line. */
const NAMED_MAX = 10

/** The changes stay where they are, and land only with the work that follows the plan. */
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
