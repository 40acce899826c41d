/**
 * Cleans a task's worktree after a gate, or set-up before it, that was cut off.
 *
 * The worktree still has the gate's edits, or the target's files, which undo the task's work. The
 * next snapshot would take either for work. So they go first, even if HEAD has moved since, or if
 * the gate will not run again. A commit that came after the gate's end is work, and stays.
 */
import { existsSync } from "node:fs"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import { findCutOff, isTakenByGate, recordGateWorktree } from "../rows/gate-worktree.ts"
import type { LandingRepo } from "../rows/row.ts"
import { putBackHead } from "./put-back-head.ts"
import { restoreTree } from "./restore-worktree.ts"

/**
 * @returns `operation`: a merge or rebase began there since then, and nothing was changed; a
 *   snapshot refuses it. @throws like {@link restoreTree}.
 */
export async function restoreCutOff(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
): Promise<"clean" | "operation"> {
  const { context, landing } = step
  const { worktree } = taskRepo(step, repo)
  if (!worktree || !isTakenByGate(context.db, { landing, repo }, worktree)) return "clean"
  if (!existsSync(worktree) || !(await isWorktreeOf(worktree, repo.path))) return "clean"
  if (await findOperation(worktree)) return "operation"
  const gate = findCutOff(context.db, { landing })
  if (gate) await putBackHead(step, repo, { worktree, ...gate })
  await restoreTree(step, repo, { worktree })
  recordGateWorktree(context.db, { landing, repo }, "put_back", context.world.nowMs())
  return "clean"
}
