/** Decides who resolves a landing that cannot go on: its agent, or a person. */

import { assert } from "../../base/assert.ts"
import { branchOf } from "../../base/ids.ts"
import { nameSome } from "../../base/text/group-paths.ts"
import { pullReason } from "../../features/pull-requests/prompts.ts"
import { changesReason } from "../../features/reviews/prompts.ts"
import { type Configured, type Outcome, type Step, taskRepo } from "./action.ts"
import { nameTarget } from "./landing-repos.ts"
import { foreignReason } from "./prompts/foreign-files.ts"
import { type HandBackDetails, type HandBackReasons, handBackPrompt } from "./prompts/hand-back.ts"
import { stashReason } from "./prompts/popped-stash.ts"
import { staleReason } from "./prompts/stale-files.ts"
import type { Landing, LandingRepo } from "./rows/row.ts"

type HandBackOutcome =
  | "SQUASH_CONFLICT"
  | "PRE_MERGE_FAILED"
  | "FOREIGN_FILES"
  | "WORKTREE_ERROR"
  | "STALE_FILES"
  | "FOREIGN_STASH"
  | "CHANGES_REQUESTED"

type Cause = { readonly repo: LandingRepo } & {
  [Key in keyof HandBackReasons]: Pick<HandBackReasons, Key>
}[keyof HandBackReasons]

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
  const { repo, ...facts } = cause
  const reason = reasonOf(landing, repo, facts)
  const details: HandBackDetails = { repo: repo.name, ...facts }
  const { handbacksMax } = context.agentConfig(task).landing
  if (task.agent === null || landing.decided || landing.handbacks >= handbacksMax)
    return { event: "failed", outcome, reason, details }
  const worktree = landing.repos.length === 1 ? null : taskRepo(step, repo).worktree
  const handBack = handBackPrompt(facts, { target: branchOf(repo.target), worktree })
  assert(handBack !== undefined, "a hand-back has a reason")
  return {
    event: "handedBack",
    outcome,
    reason,
    details,
    handbacks: landing.handbacks + 1,
    handBack,
  }
}

function reasonOf(landing: Landing, repo: LandingRepo, cause: Partial<HandBackReasons>): string {
  if (cause.conflict) {
    const { paths, more } = cause.conflict
    const names = paths.map(({ path }) => path)
    const named = nameSome(names, undefined, paths.length + more)
    return `conflicts with ${nameTarget(landing, repo)} in ${named}`
  }
  if (cause.gate) {
    const where = landing.repos.length === 1 ? "" : ` in ${repo.name}`
    return `the gate \`${cause.gate.command}\` ${cause.gate.verdict}${where}`
  }
  if (cause.foreign) return foreignReason(cause.foreign)
  if (cause.untidy) return cause.untidy.reason
  if (cause.stale) return staleReason(cause.stale)
  if (cause.stash) return stashReason(cause.stash)
  if (cause.pull) return pullReason(cause.pull)
  assert(cause.review, "a hand-back has a reason")
  return changesReason(cause.review)
}
