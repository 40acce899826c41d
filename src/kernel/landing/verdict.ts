/** Decides who resolves a landing that cannot go on: its agent, or a person. */

import { unreachable } from "../../base/assert.ts"
import { branchOf } from "../../base/ids.ts"
import { nameSome } from "../../base/text/group-paths.ts"
import { type PullFacts, pullPrompt, pullReason } from "../../features/pull-requests/prompts.ts"
import { changesPrompt, changesReason, type ReviewFacts } from "../../features/reviews/prompts.ts"
import { type Configured, type Outcome, type Step, taskRepo } from "./action.ts"
import { nameTarget } from "./landing-repos.ts"
import { type ForeignFacts, foreignPrompt, foreignReason } from "./prompts/foreign-files.ts"
import {
  type ConflictFacts,
  conflictPrompt,
  type GateFacts,
  gatePrompt,
  type HandBackDetails,
} from "./prompts/hand-back.ts"
import { type StashFacts, stashPrompt, stashReason } from "./prompts/popped-stash.ts"
import { type StaleFacts, stalePrompt, staleReason } from "./prompts/stale-files.ts"
import { type UntidyFacts, untidyPrompt } from "./prompts/untidy.ts"
import type { LandingRepo } from "./rows/row.ts"

type HandBackOutcome =
  | "SQUASH_CONFLICT"
  | "PRE_MERGE_FAILED"
  | "FOREIGN_FILES"
  | "WORKTREE_ERROR"
  | "STALE_FILES"
  | "FOREIGN_STASH"
  | "CHANGES_REQUESTED"

type Cause =
  | { readonly repo: LandingRepo; readonly conflict: ConflictFacts }
  | { readonly repo: LandingRepo; readonly gate: GateFacts }
  | { readonly repo: LandingRepo; readonly foreign: ForeignFacts }
  | { readonly repo: LandingRepo; readonly untidy: UntidyFacts }
  | { readonly repo: LandingRepo; readonly stale: StaleFacts }
  | { readonly repo: LandingRepo; readonly stash: StashFacts }
  | { readonly repo: LandingRepo; readonly pull: PullFacts }
  | { readonly repo: LandingRepo; readonly review: ReviewFacts }

/**
 * Hands the landing back to the task's agent. Fails it if there is no agent, or after
 * `max_handbacks`. A decided landing cannot wait for an agent, because part of it is published.
 * Each hand-back counts, whether or not the agent changed anything.
 */
export function handBackOrFail(
  step: Step<Configured>,
  outcome: HandBackOutcome,
  cause: Cause,
): Outcome {
  const { context, landing, task } = step
  const { reason, prompt } = describe(step, cause)
  const { repo, ...facts } = cause
  const details: HandBackDetails = { repo: repo.name, ...facts }
  const { handbacksMax } = context.agentConfig(task).landing
  if (task.agent === null || landing.decided || landing.handbacks >= handbacksMax)
    return { event: "failed", outcome, reason, details }
  const handbacks = landing.handbacks + 1
  return { event: "handedBack", outcome, reason, details, handbacks, handBack: prompt }
}

function describe(step: Step, cause: Cause): { reason: string; prompt: string } {
  const { repo } = cause
  const isOnly = step.landing.repos.length === 1
  const worktree = isOnly ? null : taskRepo(step, repo).worktree
  const place = { target: branchOf(repo.target), worktree }
  if ("conflict" in cause) {
    const { paths, more } = cause.conflict
    const named = nameSome(
      paths.map(({ path }) => path),
      NAMED_MAX,
      paths.length + more,
    )
    return {
      reason: `conflicts with ${nameTarget(step.landing, repo)} in ${named}`,
      prompt: conflictPrompt(cause.conflict, place),
    }
  }
  if ("gate" in cause) {
    const { command, verdict } = cause.gate
    const where = isOnly ? "" : ` in ${repo.name}`
    return {
      reason: `the gate \`${command}\` ${verdict}${where}`,
      prompt: gatePrompt(cause.gate, place),
    }
  }
  if ("foreign" in cause)
    return { reason: foreignReason(cause.foreign), prompt: foreignPrompt(cause.foreign, worktree) }
  if ("untidy" in cause)
    return { reason: cause.untidy.reason, prompt: untidyPrompt(cause.untidy, worktree) }
  if ("stale" in cause)
    return { reason: staleReason(cause.stale), prompt: stalePrompt(cause.stale, worktree) }
  if ("stash" in cause)
    return { reason: stashReason(cause.stash), prompt: stashPrompt(cause.stash, worktree) }
  if ("pull" in cause)
    return { reason: pullReason(cause.pull), prompt: pullPrompt(cause.pull, worktree) }
  if ("review" in cause)
    return { reason: changesReason(cause.review), prompt: changesPrompt(cause.review, worktree) }
  return unreachable(cause, "a hand-back's cause")
}

/** A reason is one sentence; the facts hold the rest. */
const NAMED_MAX = 5
