/** Makes the candidate of every repository: the snapshot on top of the target as it is now. */
import { assert } from "../core/assert.ts"
import type { Oid } from "../core/ids.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { keep } from "../workspaces/keep-refs.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { makeCandidate } from "./candidate.ts"
import { conflictFacts } from "./conflict.ts"
import { removeTree } from "./fresh-tree.ts"
import { tellGateFiles } from "./gate-files.ts"
import { listOpen } from "./open-repos.ts"
import { replayDriven } from "./replay-driven.ts"
import { handBackOrFail } from "./verdict.ts"

type Prepared =
  | { readonly kind: "prepared"; readonly base: Oid; readonly candidate: Oid }
  | { readonly kind: "unchanged"; readonly base: Oid }
  | { readonly kind: "stopped"; readonly outcome: Outcome }

export const preparing: Action = async (step) => {
  const repos = []
  let unchanged = true
  for (const repo of listOpen(step.landing)) {
    const prepared = await prepare(step, repo)
    if (prepared.kind === "stopped") return prepared.outcome
    const { base } = prepared
    const candidate = prepared.kind === "prepared" ? prepared.candidate : base
    if (prepared.kind === "prepared") {
      unchanged = false
      await tellGateFiles(step, { ...repo, base, candidate })
    }
    repos.push({ name: repo.name, base, candidate })
  }
  const isPart = step.landing.repos.some(({ published }) => published)
  return unchanged
    ? { event: "unchanged", outcome: isPart ? "LANDED" : "NO_CHANGES", repos }
    : { event: "prepared", outcome: null, reason: null, details: null, repos }
}

async function prepare(step: LandingStep, repo: LandingRepo): Promise<Prepared> {
  const { path, head } = repo
  assert(head, "a landing that is prepared has a snapshot")
  await removeTree(step, repo) // of a try that was cut off
  const made = await makeCandidate(step, { ...repo, head })
  switch (made.kind) {
    case "impossible":
      return stopped(made.reason)
    case "unchanged":
      return { kind: "unchanged", base: made.target }
    case "conflict": {
      const { base, target } = made
      const driven = await replayDriven(step, repo, made)
      if (driven) return await finish(step, repo, { target, candidate: driven })
      const facts = await conflictFacts(path, { base, head, target }, made.conflicts)
      const cause = { repo, conflict: facts }
      return { kind: "stopped", outcome: handBackOrFail(step, "SQUASH_CONFLICT", cause) }
    }
    case "made":
      return await finish(step, repo, made)
  }
}

async function finish(
  { task }: LandingStep,
  { path, head }: LandingRepo,
  { target, candidate }: { readonly target: Oid; readonly candidate: Oid },
): Promise<Prepared> {
  if (candidate !== head) await keep(path, task.id, { kept: "candidate", commit: candidate })
  return { kind: "prepared", base: target, candidate }
}

function stopped(reason: string): Prepared {
  return { kind: "stopped", outcome: { event: "failed", outcome: "WORKTREE_ERROR", reason } }
}
