/**
 * Finds the commits of a snapshot that a person, or reviewers, must still approve.
 *
 * An approval binds to commits (law 11): a head, and the base after which its commits are the
 * task's own. So a moved target needs no new approval, and an added commit does. Without anything
 * to land, no approval is needed.
 */
import type { Oid } from "../../../base/ids.ts"
import { isAncestor, readDivergence } from "../../git/ask/merge-base.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { type Configured, type Rows, type Step, taskRepo } from "../action.ts"
import { findBase } from "../candidate/work-base.ts"
import { holds } from "../move/contains-work.ts"
import { findWorkMove } from "../move/moved-past.ts"
import {
  A_PERSON,
  type Approval,
  addApproval,
  listApprovals,
  type PendingApproval,
} from "../rows/approvals.ts"
import type { LandingRepo } from "../rows/row.ts"
import { describeMove } from "../rules/target-move.ts"
import { runsOutside } from "./run-outside.ts"

type Snapshot = LandingRepo & { readonly head: Oid }

/** Whose approvals are missing. */
export type Unapproved = PendingApproval & {
  /** How the work, or a part of it, came to the target past the gate; null: it did not. */
  readonly movedPast: string | null
  /** The doubts about it, continuing "it"; null: none. */
  readonly doubts: string | null
  /** The files that the home's own programs would run, continuing "it"; null: none. */
  readonly outside: string | null
  readonly lacksPerson: boolean
  readonly lacksReviewers: boolean
}

/**
 * The heads that lack approvals, each with the base it is shown on. A person's approval
 * takes the place of the reviewers'.
 *
 * @param heads the snapshot, by name of the repository.
 * @param targets the targets' commits, by the same names; default: as they are now.
 * @param doubtful heads with doubts, by the same names, with words for these.
 */
export async function findUnapproved(
  step: Step<Rows & Configured>,
  heads: ReadonlyMap<string, Oid>,
  targets: ReadonlyMap<string, Oid> = new Map(),
  doubtful: ReadonlyMap<string, string> = new Map(),
): Promise<readonly Unapproved[]> {
  const { context, landing, task } = step
  const { review, outside: commands = [] } = context.agentConfig(task)
  const { of = [], quorum = 0 } = review ?? {}
  const unapproved: Unapproved[] = []
  for (const repo of landing.repos) {
    const { name, path } = repo
    const head = heads.get(name)
    if (!head) continue
    const snapshot = { ...repo, head }
    const suspect = landing.undoes === null && findWorkMove(context.db, task, snapshot)
    const isAsked = task.land === "approve" || context.repoConfig(repo).approve
    const doubts = doubtful.get(name) ?? null
    const isNoMatter = quorum === 0 && !suspect && doubts === null && commands.length === 0
    if (!isAsked && isNoMatter) continue
    const tip = targets.get(name) ?? (await readCommit(path, repo.target))
    const isBack = suspect && tip === suspect.from
    const isPast = suspect && (suspect.task === task.id || (tip && (await holds(path, tip, head))))
    const move = isPast && !isBack ? suspect : undefined
    const whole = await findOwnBase(step, snapshot, move?.from ?? tip)
    // Work that takes back its part on the target is nothing on the commit before, but lands there.
    const base = move && whole === head ? await findOwnBase(step, snapshot, tip) : whole
    if (base === undefined || base === head) continue // preparing says what follows
    const approvers = await listApprovers(step, snapshot, base)
    if (approvers.has(A_PERSON)) continue
    const lacksReviewers = of.filter((name) => approvers.has(name)).length < quorum
    const outside = await runsOutside({ path, base, head, target: tip ?? base }, commands)
    const lacksPerson = isAsked || Boolean(move ?? doubts ?? outside)
    const movedPast = move ? describeMove({ repo: path, target: repo.target }, move) : null
    const missing = { lacksPerson, lacksReviewers }
    if (lacksPerson || lacksReviewers)
      unapproved.push({ name, head, base, movedPast, doubts, outside, ...missing })
  }
  return unapproved
}

/** Approvers whose approval of the head covers all commits after `base`: it began no later. */
export async function listApprovers(
  { context: { db }, task }: Step<Rows>,
  { name, path, head }: Snapshot,
  base: Oid,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { approver, base: from } of listApprovals(db, { task: task.id, name, head }))
    if (from === base || (await isAncestor(path, from, base))) found.add(approver)
  return found
}

/**
 * A candidate made of approved commits is approved: worktree and next snapshot may be at the
 * candidate.
 *
 * @returns writes the approvals of those who saw all of the commits.
 */
export async function approveCandidates(
  step: Step<Rows>,
  prepared: readonly { readonly name: string; readonly base: Oid; readonly candidate: Oid }[],
): Promise<() => void> {
  const { context, landing, task } = step
  const approvals: Approval[] = []
  for (const { name, base, candidate } of prepared) {
    const repo = landing.repos.find((one) => one.name === name)
    const head = repo?.head
    if (!head || head === candidate) continue // nothing new to approve
    if (listApprovals(context.db, { task: task.id, name, head }).length === 0) continue
    const from = await findOwnBase(step, { ...repo, head }, base)
    const approvers = from ? await listApprovers(step, { ...repo, head }, from) : []
    for (const approver of approvers)
      approvals.push({ task: task.id, name, head: candidate, base, approver })
  }
  return () => {
    for (const one of approvals) addApproval(context.db, one, context.world.nowMs())
  }
}

/** @returns undefined, or the head itself, if there is nothing to approve. */
export async function findOwnBase(
  step: Step,
  snapshot: Snapshot,
  target: Oid | undefined,
): Promise<Oid | undefined> {
  const { path, head } = snapshot
  if (!target || target === head) return target
  const { treeA, treeB, mergeBases } = await readDivergence(path, head, target)
  if (treeA === treeB) return head
  const [mergeBase] = mergeBases
  return await findBase(path, taskRepo(step, snapshot), { head, mergeBase })
}
