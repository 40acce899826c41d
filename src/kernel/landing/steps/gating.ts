/**
 * Runs the gate on the candidate.
 *
 * Tested is landed (law 3): the worktree is at exactly the candidate before the command starts.
 * Afterwards the worktree is restored, so neither a gate's edits nor an interrupted gate change
 * what lands. A red gate runs once on the base too: if it is red there, the task is not at fault.
 */

import { assert } from "../../../base/assert.ts"
import { passed } from "../../../features/alternatives/alternatives.ts"
import { appendLog } from "../../store/log/append.ts"
import { installOrSet } from "../../workspaces/rules/ecosystems/programs.ts"
import { beginSetUp } from "../../workspaces/setup/setup-record.ts"
import type { Action, Configured, Outcome, Rows, Step } from "../action.ts"
import { chooseGate, type GateChoice, isGreen } from "../gate/choose-gate.ts"
import { restoreCutOff } from "../gate/clean-cut-off.ts"
import { type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import { gateFresh } from "../gate/gate-fresh.ts"
import { gateHere } from "../gate/gate-here.ts"
import { type GateOnBase, isSetUpOld, runOnBase } from "../gate/gate-on-base.ts"
import { moved } from "../gate/moved-worktree.ts"
import { type GateRun, namePaths, TIMED_OUT_EXIT_CODE, tooLate } from "../gate/run-gate.ts"
import { listToPublish, nameTarget } from "../landing-repos.ts"
import { lookNow, movedPast } from "../move/moved-past.ts"
import type { GateFacts } from "../prompts/hand-back.ts"
import { findGateResult, type GateResult, recordGateResult } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import { handBackOrFail } from "../verdict.ts"
import { blocked } from "../waiting-outcomes.ts"

/** How much of the output an agent is shown, from its end. */
const OUTPUT_CHARS_SHOWN_MAX = 8_000

export const gating: Action<FreshTrees> = async (step) => {
  for (const repo of listToPublish(step.landing)) {
    const outcome = await gate(step, repo)
    // All worktrees stay at what was tested, for the agent to inspect.
    if (outcome !== undefined) return outcome
  }
  return await passed(step)
}

/** A chosen gate, and how to run it on a commit. */
type Gate = Pick<GateChoice & { readonly kind: "run" }, "key" | "title" | "isFresh"> & GateOnBase

/** @returns undefined if the candidate passed, or if there is no gate. */
async function gate(
  step: Step<FreshTrees>,
  repo: LandingRepo,
): Promise<Outcome | "later" | undefined> {
  await removeTree(step, repo) // left by an interrupted run
  if ((await restoreCutOff(step, repo)) === "operation")
    return { event: "moved", reason: "an operation of git began in its worktree" }
  // Chosen again after syncing: the configuration of now decides, and a daemon may have ended since.
  const choice = await chooseGate(step, repo)
  if (choice.kind === "none") return undefined
  if (choice.kind === "remembered") {
    // A remembered red result has had its run on the base already.
    const run = async (): Promise<GateRun> => ({ kind: "unavailable", message: "it ran before" })
    return await judge(step, repo, { ...choice, worktree: null, run }, { ...choice, kind: "ran" })
  }
  const { worktree } = choice
  const run: Gate["run"] = async (on, isFresh = false) => {
    const ran =
      worktree && !isFresh
        ? await gateHere(step, repo, { ...on, worktree })
        : await gateFresh(step, repo, on)
    await step.context.world.point("gating: put back")
    return ran
  }
  const { base, candidate } = repo
  assert(base && candidate, "a gate runs on a candidate")
  const on = { key: choice.key, commit: candidate }
  let ran = await run(on)
  const isRed = ran.kind === "ran" && !isGreen(ran)
  if (worktree && isRed && (await isSetUpOld(step, repo, { worktree, base }))) {
    const onBase = await runOnBase(step, repo, { ...choice, run })
    if (onBase === "green" && !isGreenHere(step, choice)) {
      tellAgain(step, choice)
      await beginSetUp(worktree)
      ran = await run(on)
    }
  }
  const outcome = await judge(step, repo, { ...choice, run }, ran)
  // Remember it only after the worktree is restored, because a remembered result skips that step.
  // After a move the target was not judged, and a red one would count as the work's.
  const isOver = outcome !== "later" && outcome?.event !== "moved"
  if (ran.kind === "ran" && isOver) remember(step, ran.result)
  return outcome
}

/** Green where the work is red: what an older set-up made there is not the reason. */
const isGreenHere = ({ context }: Step<Rows>, { baseKeys }: Pick<Gate, "baseKeys">): boolean =>
  findGateResult(context.db, baseKeys.here)?.exitCode === 0

function tellAgain({ context, task }: Step<Rows>, { title }: Pick<Gate, "title">): void {
  const text = `the gate \`${title}\` runs again after a new set-up: the last one ran on an older target`
  const log = { task: task.id, turn: 0, kind: "notice", text } as const
  appendLog(context.db, log, context.world.nowMs())
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
      return moved(step, gate, run.reason)
    case "unavailable":
      return unavailable(step, gate, run.message)
    case "notReady":
      return await judgeNotReady(step, repo, gate, run)
    case "hookPassed":
      return undefined
    case "hookRefused":
      return await judgeHook(step, repo, gate, run)
    case "ran":
      return isGreen(run) ? undefined : await judgeRed(step, repo, gate, run)
  }
}

const unavailable = (step: Step<Rows>, { title }: Gate, message: string): Outcome =>
  blocked(step, "GATE_UNAVAILABLE", {
    reason: `the gate \`${title}\` cannot start: ${message}`,
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
  if (onBase === "moved") return moved(step, gate, ON_TARGET)
  if (onBase === "notReady") {
    const where = gate.isFresh ? "in a fresh worktree" : "in its worktree"
    const setting = `repos.${repo.name}.${part}`
    const helps = missing ? `. ${installOrSet(setting, missing.program)}` : ` (${setting})`
    return unavailable(step, gate, `${where} \`${command}\` ${failure}${helps}`)
  }
  return red(step, repo, gate, { command, verdict: failure, output })
}

/**
 * A hook that refuses the target itself says nothing about the work. The target has no message of
 * its own, so `commit-msg` never refuses it.
 */
async function judgeHook(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  { hook, failure: verdict, output }: GateRun & { readonly kind: "hookRefused" },
): Promise<Outcome | "later"> {
  const command = `git hook ${hook}`
  if (hook === "commit-msg") return red(step, repo, gate, { command, verdict, output })
  const { base } = repo
  assert(base, "a hook that refused work has a base")
  const onBase = await gate.run({ key: gate.baseKeys.here, commit: base, onlyHook: hook })
  if (onBase.kind === "aborted") return "later"
  if (onBase.kind === "hookRefused") {
    const target = nameTarget(step.landing, repo)
    const reason = `the ${command} refuses ${target} itself (with the work it ${verdict})`
    return blocked(step, "TARGET_RED", { reason, refused: gate.key.environment })
  }
  return red(step, repo, gate, { command, verdict, output })
}

const ON_TARGET = "another program committed in its worktree while its gate ran on the target"

async function judgeRed(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  gate: Gate,
  { result, own }: GateRun & { readonly kind: "ran" },
): Promise<Outcome | "later"> {
  const { command } = gate.key
  const verdict = verdictOf(step, repo, { result, own })
  const onBase = await runOnBase(step, repo, gate, own)
  if (onBase === "aborted") return "later"
  if (onBase === "moved") return moved(step, gate, ON_TARGET)
  if (onBase === "writes") {
    const target = nameTarget(step.landing, repo)
    const reason = `the gate \`${command}\` ${verdict}, on ${target} itself too`
    return blocked(step, "TARGET_RED", { reason })
  }
  if (onBase === "red") {
    const { db, world } = step.context
    await lookNow(db, repo, world.nowMs())
    const moved = movedPast(db, repo)
    return blocked(step, "TARGET_RED", {
      reason: `the gate \`${command}\` is red on ${nameTarget(step.landing, repo)} itself (with the work it ${verdict})${moved ? `; ${moved}` : ""}`,
    })
  }
  if (own.length === 0) return red(step, repo, gate, { command, verdict, output: result.output })
  const output = result.wrote?.diff ?? ""
  return red(step, repo, gate, { command, verdict, output, isOwnChange: true })
}

function verdictOf(
  step: Step<Configured>,
  repo: LandingRepo,
  { result: { exitCode, wrote }, own }: Omit<GateRun & { readonly kind: "ran" }, "kind">,
): string {
  if (own.length > 0) {
    const isNew = own.some((path) => wrote?.made.includes(path))
    const cures = `${isNew ? ".gitignore, or " : ""}repos.${repo.name}.gate_writes`
    return `passed on its own change of ${namePaths(own)} (${cures})`
  }
  const isLate = exitCode === TIMED_OUT_EXIT_CODE
  return isLate ? tooLate(step.context.repoConfig(repo)) : `exited with ${exitCode}`
}

function red(
  step: Step<Configured>,
  repo: LandingRepo,
  { isFresh }: Gate,
  facts: Pick<GateFacts, "command" | "verdict" | "output" | "isOwnChange">,
): Outcome {
  const { candidate } = repo
  assert(candidate, "a red gate has a candidate")
  const output = facts.output.slice(-OUTPUT_CHARS_SHOWN_MAX)
  return handBackOrFail(step, "PRE_MERGE_FAILED", {
    repo,
    gate: { ...facts, output, candidate, isFresh },
  })
}
