/**
 * Moves the branch and the worktree to the work that `shipping` has rebased, so that the agent continues
 * from there.
 *
 * No turn runs while the task is proposed, and we hold the task's lock. The replaced commits stay under
 * the task's keep ref.
 */
import { existsSync } from "node:fs"
import { assert } from "../../base/assert.ts"
import { branchRef } from "../../base/ids.ts"
import { updateRef } from "../../kernel/git/change/update-ref.ts"
import {
  type Action,
  type Outcome,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
} from "../../kernel/landing/action.ts"
import { mendLeft } from "../../kernel/landing/move/mend-left.ts"
import { movedOn } from "../../kernel/landing/move/move-worktree.ts"
import { syncWorktree } from "../../kernel/landing/move/sync-worktree.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { recordBase } from "../../kernel/tasks/rows/task-repos/work.ts"

export const restacking: Action<Rows & Refs> = async (step) => {
  const { context, landing, task } = step
  const rebased = landing.repos.filter(({ candidate }) => candidate !== null)
  for (const repo of rebased) {
    const outcome = (await mendLeft(step, repo)) ?? (await moveToRebased(step, repo))
    if (outcome) return outcome
    await context.world.point("restacking: moved")
  }
  const records = () => {
    for (const { name, base } of rebased) {
      assert(base, "rebased work has a base")
      recordBase(context.db, { task: task.id, name, base })
    }
  }
  return { event: "restacked", outcome: null, records }
}

/** @returns undefined if the branch, and its worktree if there is one, are at the rebased work. */
async function moveToRebased(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
): Promise<Outcome | undefined> {
  const { worktree, branch } = taskRepo(step, repo)
  if (worktree !== null && existsSync(worktree)) return await syncWorktree(step, repo, worktree)
  const { path, head, candidate } = repo
  assert(branch && head && candidate, "rebased work has a branch and a snapshot")
  const reason = `coppice: rebased for landing ${step.landing.id}`
  const { kind } = await updateRef(path, {
    ref: branchRef(branch),
    from: head,
    to: candidate,
    reason,
  })
  return kind === "moved" ? undefined : movedOn(branch)
}
