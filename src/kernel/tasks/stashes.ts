/** Looks after the stashes of others around a task's turns, and tells what became of them. */
import { existsSync } from "node:fs"
import { AppError } from "../../base/errors.ts"
import { branchRef, type Oid } from "../../base/ids.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import { locateWorktree } from "../workspaces/follow-worktree.ts"
import { recordRescued } from "../workspaces/rows/rescues.ts"
import { type LostStash, lookAfterStashes } from "../workspaces/stashes/look-after.ts"
import type { PassingStashes } from "../workspaces/stashes/passing-stashes.ts"
import type { JobsContext } from "./context.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { listBranches } from "./rows/task-repos/list.ts"

type Looking = Pick<JobsContext, "db" | "world" | "home">

/**
 * Call it when a turn begins and when it ends, and before its worktree goes.
 *
 * @param passing the stashes of the turn that ends.
 */
export async function lookAfterStashesOf(
  context: Looking,
  task: Task,
  passing?: PassingStashes,
): Promise<void> {
  if (task.strategy === "static" || task.agent === null) return // there a person works as well
  for (const repo of task.repos) {
    const lost = await look(context, task, { repo, passing: passing?.listOf(repo.path) ?? [] })
    if (lost.length > 0) tell(context, task, lost)
  }
}

/** A list that git cannot read, as after a crash of the machine, keeps no agent from its work. */
async function look(
  { db, world, home }: Looking,
  task: Task,
  { repo: found, passing }: { readonly repo: TaskRepo; readonly passing: readonly Oid[] },
): Promise<LostStash[]> {
  const { path: repo, worktree, branch, target } = locateWorktree(found)
  if (worktree === null || branch === null || !existsSync(worktree)) return []
  try {
    const tip = await readCommit(repo, branchRef(target))
    if (!tip) return []
    const agents = listBranches(db, repo).map((one) => one.branch)
    const owner = { home, task: task.id }
    const place = { repo, worktree, branch, agents, passing, target: tip, owner }
    return await lookAfterStashes(place)
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    const text = `Coppice cannot read the list of stashes: ${error.message}`
    appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, world.nowMs())
    return []
  }
}

function tell(context: Looking, { id }: Task, lost: readonly LostStash[]): void {
  const { db, world } = context
  const notices = lost.map(sentence)
  transaction(db, () => {
    recordRescued(
      context,
      id,
      lost.map(({ rescue }) => rescue),
    )
    const nowMs = world.nowMs()
    appendEvent(db, { type: "stash.gone", task: id, data: { notices } }, nowMs)
    for (const text of notices) appendLog(db, { task: id, turn: 0, kind: "notice", text }, nowMs)
  })
}

function sentence({ stash: { message }, rescue }: LostStash): string {
  return rescue
    ? `The stash "${message}" went from \`git stash list\` during its turn, and nothing shows who took it: ${rescue.ref} keeps it.`
    : `Its agent popped the stash "${message}", which is not its own: it is back in \`git stash list\`.`
}
