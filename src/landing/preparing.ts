/** Makes the candidate of every repository: the snapshot on top of the target as it is now. */
import { assert } from "../core/assert.ts"
import { branchOf, type Oid } from "../core/ids.ts"
import { identLine, readCommitter } from "../git/identity.ts"
import { isAncestor, readDivergence } from "../git/merge-base.ts"
import { upstreamOf } from "../git/remote.ts"
import { readCommit } from "../git/rev-parse.ts"
import { findLandedHead } from "../store/landings/find-landed-head.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { keep } from "../workspaces/keep-refs.ts"
import { type Action, type LandingStep, type Outcome, taskRepo } from "./action.ts"
import { findBase } from "./base.ts"
import { conflictFacts } from "./conflict.ts"
import { tellGateFiles } from "./gate-files.ts"
import { listOpen } from "./open-repos.ts"
import { replay } from "./replay.ts"
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
  const { task } = step
  const { path, head, target: ref } = repo
  assert(head, "a landing that is prepared has a snapshot")
  const target = await readCommit(path, ref)
  if (!target) return stopped(`the target ${ref} does not exist any more`)
  const unchanged = { kind: "unchanged", base: target } as const
  if (head === target) return unchanged

  const { takenBack } = taskRepo(step, repo)
  const recorded = await findRecorded(step, { ...repo, head, onto: target })
  const [{ treeA: headTree, treeB: ontoTree, mergeBases }, who] = await Promise.all([
    readDivergence(path, head, target),
    readCommitter(path),
  ])
  const [mergeBase] = mergeBases
  const base = await findBase(path, { base: recorded, takenBack }, { head, mergeBase })
  if (!base) return stopped(`${ref} and the task's branch share no history`)
  if (base === head) return unchanged
  if (headTree === ontoTree) return unchanged
  if (await isFastForward(repo, { target, base, mergeBase }))
    return finish(step, repo, { target, candidate: head })

  const committer = identLine(who, step.context.world.nowMs())
  const plan = { base, mergeBases, head, onto: target, ontoTree, committer, title: task.title }
  const replayed = await replay(path, plan)
  if (replayed.kind === "conflict") {
    const facts = await conflictFacts(path, { base, head, target }, replayed.conflicts)
    const cause = { repo, conflict: facts }
    return { kind: "stopped", outcome: handBackOrFail(step, "SQUASH_CONFLICT", cause) }
  }
  if (replayed.candidate === target) return unchanged
  return finish(step, repo, { target, candidate: replayed.candidate })
}

/**
 * Where the work began, as far as that is on record: of a branch that is landed time and again, what
 * landed of it the last time, as long as the target still has that.
 */
async function findRecorded(
  step: LandingStep,
  { name, path, target, head, onto }: LandingRepo & { readonly head: Oid; readonly onto: Oid },
): Promise<Oid | null> {
  const { base, branch } = taskRepo(step, { name })
  if (step.task.agent !== null || branch === null) return base
  const landed = findLandedHead(step.context.db, { path, target, branch })
  if (!landed || !(await isAncestor(path, landed.candidate, onto))) return null
  return (await isAncestor(path, landed.head, head)) ? landed.head : null
}

/**
 * The target is the base, or lies behind it because it is only not up to date, not because it was
 * moved back.
 */
export async function isFastForward(
  { path, target: ref }: Pick<LandingRepo, "path" | "target">,
  { target, base, mergeBase }: { target: Oid; base: Oid; mergeBase: Oid | undefined },
): Promise<boolean> {
  if (target === base) return true
  if (target !== mergeBase || !(await isAncestor(path, target, base))) return false
  const upstream = await upstreamOf(path, branchOf(ref))
  const commit = upstream && (await readCommit(path, upstream))
  return commit !== undefined && (await isAncestor(path, base, commit))
}

async function finish(
  { task }: LandingStep,
  { path, head }: LandingRepo,
  { target, candidate }: { target: Oid; candidate: Oid },
): Promise<Prepared> {
  if (candidate !== head) await keep(path, task.id, { kept: "candidate", commit: candidate })
  return { kind: "prepared", base: target, candidate }
}

function stopped(reason: string): Prepared {
  return { kind: "stopped", outcome: { event: "failed", outcome: "WORKTREE_ERROR", reason } }
}
