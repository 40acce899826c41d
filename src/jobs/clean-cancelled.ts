/** Removes what a cancelled task leaves: its worktree and branch, after saving what they hold. */
import { branchRef } from "../core/ids.ts"
import { readCommit } from "../git/rev-parse.ts"
import { appendEvent } from "../store/events/append.ts"
import { listProcesses } from "../store/processes/list.ts"
import { transaction } from "../store/sql.ts"
import { recordRemoved } from "../store/task-repos/record-removed.ts"
import { KEPT_EVENT } from "../store/tasks/list-due.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import type { JobsContext } from "./context.ts"

export async function cleanCancelled(context: JobsContext, task: Task): Promise<void> {
  if (listProcesses(context.db).some((process) => process.task === task.id)) return
  if (!context.agentConfig(task.agent).workspace.cleanupOnFailure) return
  await context.taskLock.hold(task.id, async () => {
    for (const repo of task.repos) await clean(context, task, repo)
  })
}

async function clean(context: JobsContext, task: Task, repo: TaskRepo): Promise<void> {
  const { db, world, workspaces } = context
  const { path, branch, worktree, placed, name, base } = repo
  if (!branch || !worktree) return
  const target = await readCommit(path, branchRef(repo.target))
  const contained = [target, base].filter((commit) => commit !== undefined && commit !== null)
  const torn = await workspaces.teardown({
    task: task.id,
    repo: path,
    worktree,
    branch,
    contained,
    placed,
    reason: "cancelled",
  })
  transaction(db, () => {
    const nowMs = world.nowMs()
    for (const { ref, commit, paths } of torn.rescued) {
      const data = { ref, commit, paths }
      appendEvent(db, { type: "rescue.made", task: task.id, data }, nowMs)
    }
    if (torn.worktree === "removed") recordRemoved(db, { task: task.id, name })
    else {
      const data = { worktree, notices: torn.notices }
      appendEvent(db, { type: KEPT_EVENT, task: task.id, data }, nowMs)
    }
  })
}
