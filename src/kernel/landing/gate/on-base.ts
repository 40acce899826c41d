/**
 * Judges the target itself after a red gate, and whether what set-up made is as new as the target.
 *
 * Set-up may generate files from sources that are not among its inputs. In the worktree of a task
 * they are then older than a target that has moved, or fit the work alone. So the target is judged
 * where set-up ran on it, and work that is red on old files gets new ones first.
 */
import type { Oid } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { readSetupInputs } from "../../workspaces/setup/setup-inputs.ts"
import { isSetUpBefore } from "../../workspaces/setup/setup-record.ts"
import { listMisplaced } from "../../workspaces/submodules.ts"
import type { Configured, Step } from "../action.ts"
import { findGateResult, type GateResult } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import type { BaseKeys } from "./gate-plan.ts"

/** The remembered result of the command on the target. */
export const findBaseResult = (db: Db, { here, fresh }: BaseKeys): GateResult | undefined =>
  findGateResult(db, fresh) ?? findGateResult(db, here)

type Judged = { readonly worktree: string; readonly base: Oid }

/** Whether the target is judged in a disposable worktree, and not in the task's own. */
export async function isJudgedFresh(
  step: Step<Configured>,
  repo: LandingRepo,
  { worktree, base }: Judged,
): Promise<boolean> {
  if (await isRepeatable(step, repo, worktree)) return true
  return (await listMisplaced(worktree, base)).length > 0
}

/** Whether set-up can run again before the work is judged, and last ran without the target's news. */
export async function isSetUpOld(
  step: Step<Configured>,
  repo: LandingRepo,
  { worktree, base }: Judged,
): Promise<boolean> {
  return (await isSetUpBefore(worktree, base)) && (await isRepeatable(step, repo, worktree))
}

/** One that takes something for its task alone, such as a database, need not work twice. */
async function isRepeatable(
  { context, task }: Step<Configured>,
  repo: LandingRepo,
  worktree: string,
): Promise<boolean> {
  const { setup, teardown } = context.repoConfig(repo)
  const { command, isOwn } = await readSetupInputs(worktree, { setup, task: task.id })
  return command !== undefined && !isOwn && teardown === undefined
}
