/** Makes the candidate of every repository: the snapshot on top of the target as it is now. */
import { assert } from "../../../base/assert.ts"
import type { Oid } from "../../../base/ids.ts"
import { isAlternative } from "../../../features/alternatives/alternatives.ts"
import { followRemote } from "../../../features/push-target/follow-remote.ts"
import { signCandidate } from "../../../features/signing/sign.ts"
import { ownObjects } from "../../git/change/borrowed-objects.ts"
import { keep } from "../../workspaces/keep-refs.ts"
import {
  type Action,
  type Configured,
  type Outcome,
  ownerOf,
  type Rows,
  type Step,
} from "../action.ts"
import { makeCandidate } from "../candidate/candidate.ts"
import { conflictFacts } from "../candidate/conflict.ts"
import type { Made } from "../candidate/replay.ts"
import { replayDriven } from "../candidate/replay-driven.ts"
import { findUnfit } from "../candidate/unfit-trees.ts"
import { type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import { listGateFiles, tellGateFiles } from "../gate/gate-files.ts"
import { listOpen } from "../landing-repos.ts"
import { landReason } from "../move/move-targets.ts"
import { lookNow } from "../move/moved-past.ts"
import { findLanding } from "../rows/find.ts"
import { recordPublished } from "../rows/record.ts"
import type { LandingRepo } from "../rows/row.ts"
import { askForCandidates } from "../snapshot/candidate-outside.ts"
import { approveCandidates, findUnapproved } from "../snapshot/missing-approvals.ts"
import { handBackOrFail } from "../verdict.ts"
import { blocked } from "../waiting-outcomes.ts"

type Prepared =
  | {
      readonly kind: "prepared"
      readonly base: Oid
      readonly candidate: Oid
      readonly gateFiles: readonly string[]
    }
  | { readonly kind: "unchanged"; readonly base: Oid }
  | { readonly kind: "stopped"; readonly outcome: Outcome }

export const preparing: Action<FreshTrees> = async (step) => {
  const { db, world } = step.context
  const repos = []
  let unchanged = true
  for (const repo of listOpen(step.landing)) {
    const followed = await followRemote(step, repo)
    if (followed.kind === "stopped") return followed.outcome
    if (followed.kind === "landed") {
      recordPublished(step.context.db, step.landing, repo.name)
      continue
    }
    const prepared = await prepare(step, repo)
    if (prepared.kind === "stopped") return prepared.outcome
    const { base } = prepared
    const candidate = prepared.kind === "prepared" ? prepared.candidate : base
    if (prepared.kind === "prepared") {
      unchanged = false
      tellGateFiles(step, repo, prepared.gateFiles)
    }
    await lookNow(db, { ...repo, tip: base }, world.nowMs()) // maybe it moved past the gate
    repos.push({ name: repo.name, base, candidate })
  }
  if (await needsApproval(step, repos)) return { event: "moved", outcome: null }
  const asked = isAlternative(step) ? undefined : await askForCandidates(step, repos)
  if (asked) return asked
  const now = findLanding(db, step.landing.id)
  const isPart = now?.repos.some(({ published }) => published)
  if (unchanged) return { event: "unchanged", outcome: isPart ? "LANDED" : "NO_CHANGES", repos }
  const records = await approveCandidates(step, repos)
  return { event: "prepared", outcome: null, details: null, repos, records }
}

/**
 * A person approved commits on top of the target as it was then. If the target moves back while the
 * landing is queued, more commits count as the task's own. Then a fresh snapshot asks for approval, as
 * it does for work that is on the target without one.
 */
async function needsApproval(
  step: Step<Rows & Configured>,
  prepared: readonly { readonly name: string; readonly base: Oid }[],
): Promise<boolean> {
  const { decided, repos } = step.landing
  if (decided) return false // the landing is rolled forward as approved
  if (isAlternative(step)) return false // asked for after its gate
  const heads = repos.flatMap(({ name, head }) => (head ? [[name, head] as const] : []))
  const targets = new Map(prepared.map(({ name, base }) => [name, base]))
  return (await findUnapproved(step, new Map(heads), targets)).length > 0
}

async function prepare(step: Step<FreshTrees>, repo: LandingRepo): Promise<Prepared> {
  const { path, head } = repo
  assert(head, "a landing that is prepared has a snapshot")
  await removeTree(step, repo) // left by an interrupted try
  const made = await makeCandidate(step, { ...repo, head })
  switch (made.kind) {
    case "impossible":
      return stopped(made.reason)
    case "gone":
      return { kind: "stopped", outcome: blocked(step, "TARGET_GONE", made) }
    case "apart": {
      const { reason, target } = made
      return {
        kind: "stopped",
        outcome: blocked(step, "UPSTREAM_APART", { reason, refs: [target] }),
      }
    }
    case "unchanged":
      return { kind: "unchanged", base: made.target }
    case "conflict": {
      const { target } = made
      const driven = await replayDriven(step, repo, made)
      if (driven) return await finish(step, repo, { ...driven, target })
      const facts = await conflictFacts(path, { ...made, head })
      const cause = { repo, conflict: facts }
      return { kind: "stopped", outcome: handBackOrFail(step, "SQUASH_CONFLICT", cause) }
    }
    case "made":
      return await finish(step, repo, made)
  }
}

async function finish(
  step: Step<FreshTrees>,
  repo: LandingRepo,
  made: Made & { readonly target: Oid },
): Promise<Prepared> {
  const { path, head } = repo
  const { target } = made
  const signed = await signCandidate(step, repo, made)
  if (signed.kind === "unsigned")
    return { kind: "stopped", outcome: blocked(step, "UNSIGNED", signed) }
  const { candidate } = signed
  const kept = { kept: "candidate", commit: candidate, reason: landReason(step) } as const
  await ownObjects(path, { from: target, to: candidate })
  const unfit = await findUnfit(path, { ...signed, target })
  if (unfit !== undefined) return stopped(unfit)
  const [gateFiles] = await Promise.all([
    listGateFiles(step.context, { ...repo, base: target, candidate }),
    candidate !== head && keep(path, ownerOf(step), kept),
  ])
  return { kind: "prepared", base: target, candidate, gateFiles }
}

function stopped(reason: string): Prepared {
  return { kind: "stopped", outcome: { event: "failed", outcome: "WORKTREE_ERROR", reason } }
}
