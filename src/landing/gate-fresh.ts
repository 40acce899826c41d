/** Runs the gate in a disposable worktree: nobody's worktree has to move, and none is in the way. */
import { assert } from "../core/assert.ts"
import type { Oid } from "../core/ids.ts"
import { resetTree } from "../git/read-tree.ts"
import { readStatus } from "../git/status.ts"
import type { GateKey } from "../store/gate-results/row.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import type { LandingStep } from "./action.ts"
import { addTree, makeReady, removeTree } from "./fresh-tree.ts"
import { type GateRun, runGate } from "./run-gate.ts"

export type GateOn = { readonly key: GateKey; readonly commit: Oid }

export async function gateFresh(
  step: LandingStep,
  repo: LandingRepo,
  { key, commit }: GateOn,
): Promise<GateRun> {
  const tree = await addTree(step, repo, commit)
  await step.context.world.point("fresh worktree: added")
  if (tree.kind === "unavailable") {
    const message = `no fresh worktree can be made for it: ${tree.message}`
    return { kind: "unavailable", message }
  }
  const run = await runIn(step, repo, { key, commit, worktree: tree.worktree })
  await step.context.world.point("fresh worktree: gate ran")
  await removeTree(step, repo)
  return run
}

async function runIn(
  step: LandingStep,
  repo: LandingRepo,
  { key, commit, worktree }: GateOn & { readonly worktree: string },
): Promise<GateRun> {
  const { base } = repo
  assert(base, "a gate runs for a landing that was prepared")
  const place = { worktree, commit, base }
  try {
    const ready = await makeReady(step, repo, place)
    if (ready.kind === "failed") return { ...ready, kind: "notReady" }
  } catch (error) {
    if (step.signal.aborted) return { kind: "aborted" }
    throw error
  }
  await step.context.world.point("fresh worktree: ready")
  // An install may edit files of the commit; the gate sees them as they are going to be published.
  const { staged, unstaged } = await readStatus(worktree)
  if (staged.length + unstaged.length > 0) await resetTree(worktree, commit)
  const { gateTimeoutMs } = step.context.repoConfig(repo)
  return await runGate(step, key, { ...place, repoName: repo.name, gateTimeoutMs })
}
