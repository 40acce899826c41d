/**
 * Cleans a task's worktree after a gate, or set-up before it, that was cut off.
 *
 * The worktree still has the gate's edits, or the target's files, which undo the task's work. The
 * next snapshot would take either for work. So they go first, even if HEAD has moved since, or if
 * the gate will not run again.
 */
import { existsSync } from "node:fs"
import { findOperation } from "../../git/ask/operation.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { isGateBegun } from "../../store/landings/gate-begun.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import { restoreTree } from "./restore.ts"

/** For a landing in `gating`. @throws like {@link restoreTree}. */
export async function restoreCutOff(step: Step<Rows & Refs>, repo: LandingRepo): Promise<void> {
  const { worktree } = taskRepo(step, repo)
  if (!isGateBegun(step.context.db, step.landing, repo)) return
  if (!worktree || !existsSync(worktree) || !(await isWorktreeOf(worktree, repo.path))) return
  if (await findOperation(worktree)) return // begun since then: a snapshot refuses it
  await restoreTree(step, repo, { worktree })
}
