/**
 * Runs the gate on the candidate.
 *
 * Tested is landed (law 3): the worktree is at exactly the candidate before the command starts,
 * and what the command leaves behind is put away afterwards, so neither a gate that edits files
 * nor one that was cut off can change what is published. When it is red it runs once on the base
 * too: what was red before this task came is not this task's fault.
 */

import { assert } from "../core/assert.ts"
import { branchOf } from "../core/ids.ts"
import { readTree } from "../git/read-tree.ts"
import { readCommit, readTrees } from "../git/rev-parse.ts"
import { findGateResult } from "../store/gate-results/find.ts"
import { recordGateResult } from "../store/gate-results/record.ts"
import type { GateKey, GateResult } from "../store/gate-results/row.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { clearCollisions } from "../workspaces/collisions.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { blocked } from "./blocked.ts"
import { planGate } from "./gate-plan.ts"
import { restore } from "./restore.ts"
import { type GatePlace, type GateRun, runGate, TIMED_OUT_EXIT_CODE } from "./run-gate.ts"
import { tellRescued } from "./tell-rescued.ts"
import { handBackOrFail } from "./verdict.ts"

/** How much of the output an agent is shown, from its end. */
const OUTPUT_CHARS_SHOWN_MAX = 8_000

export const gating: Action = async (step) => {
  for (const repo of step.landing.repos) {
    const outcome = await gate(step, repo)
    if (outcome) return outcome
  }
  return { event: "passed" }
}

/** @returns undefined when the candidate passed, or nothing is to be tested. */
async function gate(step: LandingStep, repo: LandingRepo): Promise<Outcome | "later" | undefined> {
  const { candidate } = repo
  assert(candidate, "a gate runs on a candidate")
  const plan = await planGate(step, repo)
  if (plan.kind === "none") return undefined
  if (plan.kind === "nowhere") return gone(repo)
  if (plan.kind === "remembered") {
    if (plan.result.exitCode === 0) return undefined
    return judgeRed(step, repo, { key: plan.key, result: plan.result })
  }
  const { worktree } = plan
  const { gateTimeoutMs } = step.context.repoConfig(repo)
  const place = { worktree, repoName: repo.name, gateTimeoutMs }
  if ((await readCommit(worktree, "HEAD")) !== candidate)
    return { event: "moved", reason: `${worktree} left the candidate before its gate began` }
  await restore(step, repo, { worktree })
  const run = await runGate(step, plan.key, place)
  await step.context.world.point("gating: gate ran")
  await restore(step, repo, { worktree })
  remember(step, run)
  return judge(step, repo, { key: plan.key, run, place })
}

/** After the worktree is put back: a result that is remembered is one that leaves nothing to do. */
function remember({ context }: LandingStep, run: GateRun): void {
  if (run.kind !== "ran") return
  recordGateResult(context.db, run.result, run.result.atMs)
}

async function judge(
  step: LandingStep,
  repo: LandingRepo,
  { key, run, place }: { key: GateKey; run: GateRun; place: GatePlace },
): Promise<Outcome | "later" | undefined> {
  if (run.kind === "aborted") return "later"
  if (run.kind === "unavailable")
    return blocked(step, "GATE_UNAVAILABLE", {
      reason: `the gate \`${key.command}\` cannot start: ${run.message}`,
    })
  if (run.result.exitCode === 0) return undefined
  return judgeRed(step, repo, { key, result: run.result, place })
}

async function judgeRed(
  step: LandingStep,
  repo: LandingRepo,
  { key, result, place }: { key: GateKey; result: GateResult; place?: GatePlace },
): Promise<Outcome | "later"> {
  const { candidate, base, target } = repo
  assert(candidate && base, "a red gate has a candidate and its base")
  const baseRun = await runOnBase(step, repo, { key, place })
  if (baseRun === "aborted") return "later"
  if (baseRun === "red")
    return blocked(step, "TARGET_RED", {
      reason: `the gate \`${key.command}\` is red on ${branchOf(target)} itself`,
    })
  const late = result.exitCode === TIMED_OUT_EXIT_CODE
  const verdict = late ? "ran into its time limit" : `exited with ${result.exitCode}`
  const output = result.output.slice(-OUTPUT_CHARS_SHOWN_MAX)
  const facts = { command: key.command, verdict, output, candidate }
  return handBackOrFail(step, "PRE_MERGE_FAILED", { repo, gate: facts })
}

/** Whether the target itself passes, asked once per tree, in the same worktree. */
async function runOnBase(
  step: LandingStep,
  repo: LandingRepo,
  { key, place }: { key: GateKey; place: GatePlace | undefined },
): Promise<"green" | "red" | "aborted"> {
  const { base, candidate, path } = repo
  assert(base && candidate, "a red gate has a candidate and its base")
  const [tree] = await readTrees(path, [base])
  assert(tree, "a base has a tree")
  const baseKey = { ...key, tree }
  const known = findGateResult(step.context.db, baseKey)
  if (known) return known.exitCode === 0 ? "green" : "red"
  if (!place) return "green" // a red that was remembered has had its base run already
  const { worktree } = place
  const move = { task: step.task.id, from: candidate, to: base }
  tellRescued(step, [await clearCollisions(worktree, move)])
  const moved = await readTree(worktree, { from: candidate, to: base })
  if (moved.kind !== "done") return "green" // cannot be asked here: the agent looks at it
  const run = await runGate(step, baseKey, place)
  await restore(step, repo, { worktree, indexIsElsewhere: true })
  remember(step, run)
  if (run.kind === "aborted") return "aborted"
  return run.kind === "ran" && run.result.exitCode !== 0 ? "red" : "green"
}

const gone = ({ path }: LandingRepo): Outcome => ({
  event: "failed",
  outcome: "WORKTREE_ERROR",
  reason: `the worktree in which the gate of ${path} would run is gone`,
})
