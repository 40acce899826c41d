/**
 * Runs the gate on the candidate.
 *
 * Tested is landed (law 3): the worktree is at exactly the candidate before the command starts.
 * Afterwards the worktree is restored, so neither a gate's edits nor an interrupted gate change
 * what lands. A red gate runs once on the base too: if it is red there, the task is not at fault.
 */

import { assert } from "../../core/assert.ts"
import { installOrSet } from "../../core/ecosystems/programs.ts"
import type { Oid } from "../../core/ids.ts"
import type { GateFacts } from "../../core/prompts/hand-back.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import {
  findGateResult,
  type GateKey,
  type GateResult,
  recordGateResult,
} from "../../store/gate-results.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { Action, Configured, Outcome, Rows, Step } from "../action.ts"
import { blocked } from "../blocked.ts"
import { type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import { gateFresh } from "../gate/gate-fresh.ts"
import { gateHere } from "../gate/gate-here.ts"
import { planGate } from "../gate/gate-plan.ts"
import { type GateRun, TIMED_OUT_EXIT_CODE, tooLate } from "../gate/run-gate.ts"
import { listToPublish, nameTarget } from "../landing-repos.ts"
import { putBack } from "../move/move-worktree.ts"
import { lookNow, movedPast } from "../move/moved-past.ts"
import { handBackOrFail } from "../verdict.ts"

/** How much of the output an agent is shown, from its end. */
const OUTPUT_CHARS_SHOWN_MAX = 8_000

export const gating: Action<FreshTrees> = async (step) => {
  const repos = listToPublish(step.landing)
  for (const repo of repos) {
    const outcome = await gate(step, repo)
    if (outcome === undefined) continue
    // The red one stays at the tested candidate, for its agent to inspect.
    const others = repos.filter((other) => other !== repo)
    if (outcome !== "later") await putBack(step, others)
    return outcome
  }
  return { event: "passed" }
}

/** A gate, how to run it on a commit, and whether that is in a disposable worktree. */
type Gate = {
  readonly key: GateKey
  readonly isFresh: boolean
  run(key: GateKey, commit: Oid): Promise<GateRun>
}

/** @returns undefined if the candidate passed, or if there is no gate. */
async function gate(
  step: Step<FreshTrees>,
  repo: LandingRepo,
): Promise<Outcome | "later" | undefined> {
  await removeTree(step, repo) // left by an interrupted run
  // Planned again after syncing: the configuration of now decides, and a daemon may have ended since.
  const plan = await planGate(step, repo)
  if (plan.kind === "none") return undefined
  const { key, isFresh } = plan
  if (plan.kind === "remembered") {
    // A remembered red result has had its run on the base already.
    const run = async (): Promise<GateRun> => ({ kind: "unavailable", message: "it ran before" })
    return await judge(step, repo, { key, isFresh, run }, { ...plan, kind: "ran" })
  }
  const { worktree } = plan
  const run: Gate["run"] = async (key, commit) => {
    const ran = worktree
      ? await gateHere(step, repo, { key, commit, worktree })
      : await gateFresh(step, repo, { key, commit })
    await step.context.world.point("gating: put back")
    return ran
  }
  const { candidate } = repo
  assert(candidate, "a gate runs on a candidate")
  const ran = await run(key, candidate)
  const outcome = await judge(step, repo, { key, isFresh, run }, ran)
  // Remember it only after the worktree is restored, because a remembered result skips that step.
  if (ran.kind === "ran" && outcome !== "later") remember(step, ran.result)
  return outcome
}

const remember = ({ context }: Step<Rows>, result: GateResult): void =>
  recordGateResult(context.db, result, result.atMs)

async function judge(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  run: GateRun,
): Promise<Outcome | "later" | undefined> {
  switch (run.kind) {
    case "aborted":
      return "later"
    case "moved":
      return { event: "moved", reason: run.reason }
    case "unavailable":
      return unavailable(step, gate, run.message)
    case "notReady":
      return await judgeNotReady(step, repo, gate, run)
    case "hookRefused":
      return await judgeHook(step, repo, gate, run)
    case "ran":
      return run.result.exitCode === 0 ? undefined : await judgeRed(step, repo, gate, run.result)
  }
}

const unavailable = (step: Step<Rows>, { key }: Gate, message: string): Outcome =>
  blocked(step, "GATE_UNAVAILABLE", {
    reason: `the gate \`${key.command}\` cannot start: ${message}`,
  })

/** If set-up works on the target, it must work on the candidate too. */
async function judgeNotReady(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  { step: part, command, failure, output, missing }: GateRun & { readonly kind: "notReady" },
): Promise<Outcome | "later"> {
  const onBase = await runOnBase(step, repo, gate)
  if (onBase === "aborted") return "later"
  if (onBase === "notReady") {
    const where = gate.isFresh ? "in a fresh worktree" : "in its worktree"
    const setting = `repos.${repo.name}.${part}`
    const helps = missing ? `. ${installOrSet(setting, missing.program)}` : ` (${setting})`
    return unavailable(step, gate, `${where} \`${command}\` ${failure}${helps}`)
  }
  return red(step, repo, gate, { command, verdict: failure, output })
}

/** A hook that refuses the target itself says nothing about the work. */
async function judgeHook(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  { hook, failure: verdict, output }: GateRun & { readonly kind: "hookRefused" },
): Promise<Outcome | "later"> {
  const command = `git hook ${hook}`
  const onBase = await runOnBase(step, repo, gate)
  if (onBase === "aborted") return "later"
  if (onBase === "refused") {
    const target = nameTarget(step.landing, repo)
    const reason = `the ${command} refuses ${target} itself (with the work it ${verdict})`
    return blocked(step, "TARGET_RED", { reason })
  }
  return red(step, repo, gate, { command, verdict, output })
}

async function judgeRed(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  { exitCode, output }: GateResult,
): Promise<Outcome | "later"> {
  const { command } = gate.key
  const late = exitCode === TIMED_OUT_EXIT_CODE
  const verdict = late ? tooLate(step.context.repoConfig(repo)) : `exited with ${exitCode}`
  const onBase = await runOnBase(step, repo, gate)
  if (onBase === "aborted") return "later"
  if (onBase === "red") {
    const { db, world } = step.context
    await lookNow(db, repo, world.nowMs())
    const moved = movedPast(db, repo)
    return blocked(step, "TARGET_RED", {
      reason: `the gate \`${command}\` is red on ${nameTarget(step.landing, repo)} itself (with the work it ${verdict})${moved ? `; ${moved}` : ""}`,
    })
  }
  return red(step, repo, gate, { command, verdict, output })
}

function red(
  step: Step<Configured>,
  repo: LandingRepo,
  { isFresh }: Gate,
  facts: Pick<GateFacts, "command" | "verdict" | "output">,
): Outcome {
  const { candidate } = repo
  assert(candidate, "a red gate has a candidate")
  const output = facts.output.slice(-OUTPUT_CHARS_SHOWN_MAX)
  return handBackOrFail(step, "PRE_MERGE_FAILED", {
    repo,
    gate: { ...facts, output, candidate, isFresh },
  })
}

/** Whether the target itself passes, asked once per tree, in the same way. */
async function runOnBase(
  step: Step<Rows>,
  { base, path }: LandingRepo,
  { key, run }: Gate,
): Promise<"green" | "red" | "refused" | "notReady" | "aborted"> {
  assert(base, "a red gate has a base")
  const [tree] = await readTrees(path, [base])
  assert(tree, "a base has a tree")
  const baseKey = { ...key, tree }
  const known = findGateResult(step.context.db, baseKey)
  if (known) return known.exitCode === 0 ? "green" : "red"
  const ran = await run(baseKey, base)
  if (ran.kind === "ran") remember(step, ran.result)
  if (ran.kind === "aborted" || ran.kind === "notReady") return ran.kind
  if (ran.kind === "hookRefused") return "refused"
  // If the target cannot be tested, the work counts as red.
  return ran.kind === "ran" && ran.result.exitCode !== 0 ? "red" : "green"
}
