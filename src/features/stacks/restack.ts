/**
 * Replays an upper task's commits after the lower task has changed or landed: onto the lower task's new
 * commits, or onto the target.
 *
 * It replays only the task's own commits, and writes only objects and keep refs. `restacking` then moves
 * the branch and its worktree.
 */
import { assert } from "../../base/assert.ts"
import type { Oid } from "../../base/ids.ts"
import { isAncestor, readDivergence } from "../../kernel/git/ask/merge-base.ts"
import { ownObjects } from "../../kernel/git/change/borrowed-objects.ts"
import { type Outcome, ownerOf, type Step, taskRepo } from "../../kernel/landing/action.ts"
import { replayWork } from "../../kernel/landing/candidate/candidate.ts"
import { conflictFacts } from "../../kernel/landing/candidate/conflict.ts"
import { replayDriven } from "../../kernel/landing/candidate/replay-driven.ts"
import { type FreshTrees, removeTree } from "../../kernel/landing/gate/fresh-tree.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { handBackOrFail } from "../../kernel/landing/verdict.ts"
import { recordBase } from "../../kernel/tasks/rows/task-repos/work.ts"
import { keep } from "../../kernel/workspaces/keep-refs.ts"
import type { PullRequest } from "../pull-requests/rows.ts"
import { mustRestack } from "./pull-base.ts"

type Stacked = { readonly repo: LandingRepo; readonly pull: PullRequest; readonly onto: Oid }

type Replayed =
  | { readonly kind: "rebased"; readonly candidate: Oid }
  | { readonly kind: "conflict"; readonly outcome: Outcome }

/** @returns undefined if no work needs a replay. */
export async function restack(
  step: Step<FreshTrees>,
  all: readonly Stacked[],
): Promise<Outcome | undefined> {
  const repos = []
  for (const { repo, pull, onto } of all) {
    if (!(await mustRestack(step, repo, { pull, onto }))) {
      await noteRebased(step, repo, onto)
      continue
    }
    const replayed = await replayOnto(step, repo, onto)
    if (replayed.kind === "conflict") return replayed.outcome
    repos.push({ name: repo.name, base: onto, candidate: replayed.candidate })
  }
  return repos.length === 0
    ? undefined
    : { event: "rebased", outcome: null, reason: null, details: null, repos }
}

async function replayOnto(step: Step<FreshTrees>, repo: LandingRepo, onto: Oid): Promise<Replayed> {
  const { path, head } = repo
  const { base } = taskRepo(step, repo)
  assert(base && head, "replayed work has a base and a snapshot")
  await removeTree(step, repo) // left by an interrupted try
  const divergence = await readDivergence(path, head, onto)
  const replayed = await replayWork(step, path, { base, head, onto, divergence })
  const made = replayed.kind === "conflict" ? await replayDriven(step, repo, replayed) : replayed
  if (made === undefined) {
    assert(replayed.kind === "conflict", "work that was not replayed conflicts")
    const conflict = await conflictFacts(path, { ...replayed, head })
    const cause = { repo, conflict: { ...conflict, since: base } }
    return { kind: "conflict", outcome: handBackOrFail(step, "SQUASH_CONFLICT", cause) }
  }
  const { candidate } = made
  await ownObjects(path, { from: onto, to: candidate })
  const reason = `the work of task ${step.task.id}, rebased`
  await keep(path, ownerOf(step), { kept: "candidate", commit: candidate, reason })
  return { kind: "rebased", candidate }
}

/** Records `onto` as the base if the agent has rebased its work onto it, to resolve a conflict. */
async function noteRebased(step: Step<FreshTrees>, repo: LandingRepo, onto: Oid): Promise<void> {
  const { path, head, name } = repo
  const { base } = taskRepo(step, repo)
  if (base === null || head === null || (await isAncestor(path, base, head))) return
  if (await isAncestor(path, onto, head))
    recordBase(step.context.db, { task: step.task.id, name, base: onto })
}
