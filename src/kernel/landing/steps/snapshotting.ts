/**
 * Takes the snapshot: exactly the commits that will land.
 *
 * It keeps them reachable, and asks for the approvals that they need.
 */
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { isAlternative } from "../../../features/alternatives/alternatives.ts"
import { askReviewers } from "../../../features/reviews/second-opinion.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listEventsOf } from "../../store/events.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import { findKept, keep } from "../../workspaces/keep-refs.ts"
import { rescueCommit, rescueWorktree } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import {
  type Action,
  type Configured,
  type Outcome,
  ownerOf,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
} from "../action.ts"
import { restoreCutOff } from "../gate/clean-cut-off.ts"
import { type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import { gateFilesReason, listGateFiles } from "../gate/gate-files.ts"
import { listOpen } from "../landing-repos.ts"
import { mendLeft } from "../move/mend-left.ts"
import type { HandBackDetails } from "../prompts/hand-back.ts"
import { A_PERSON, listApprovals, type PendingApproval } from "../rows/approvals.ts"
import type { LandingRepo } from "../rows/row.ts"
import { type Doubt, doubtsReason, listDoubts } from "../snapshot/doubts.ts"
import { findForeignFiles } from "../snapshot/foreign-files.ts"
import { findUnapproved } from "../snapshot/missing-approvals.ts"
import { takeTask } from "../snapshot/snapshot-task.ts"
import { type Snapshot, takeWork } from "../snapshot/snapshot-work.ts"
import { handBackOrFail } from "../verdict.ts"
import { blocked } from "../waiting-outcomes.ts"

export const snapshotting: Action<FreshTrees> = async (step) => {
  for (const repo of step.landing.repos) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits
  }
  for (const repo of step.landing.repos) await removeTree(step, repo) // left by an interrupted landing
  if (step.landing.decided) return takeAgain(step)
  for (const repo of step.landing.repos) await restoreCutOff(step, repo)
  const heads = []
  for (const repo of step.task.repos) {
    const isOurs = step.task.strategy !== null
    const snapshot = await onlyWork(
      step,
      repo,
      isOurs ? await takeTask(step, repo) : await takeWork(step, repo),
    )
    if (snapshot.kind === "locked") return blocked(step, "LOCKED", snapshot)
    if (snapshot.kind === "refused") return failed(snapshot.reason)
    if (snapshot.kind === "tooMuch") return blocked(step, "TOO_MUCH_LEFT", snapshot)
    if (snapshot.kind === "foreign")
      return handBackOrFail(step, "FOREIGN_FILES", {
        repo: of(step, repo),
        foreign: snapshot.facts,
      })
    if (snapshot.kind === "untidy") return await handBackUntidy(step, repo, snapshot)
    await keepHead(step, repo, snapshot.head)
    heads.push({ name: repo.name, head: snapshot.head, base: null, candidate: null })
  }
  const doubtful = await listDoubtful(step, heads)
  const handedBack = handBackDoubtful(step, doubtful)
  if (handedBack) return handedBack
  if (step.task.land === "pr") return { event: "shippingStarted", repos: heads }
  if (isAlternative(step)) return { event: "snapshotted", repos: heads }
  return (await askForApproval(step, heads, doubtful)) ?? { event: "snapshotted", repos: heads }
}

/** The agent may give up what a person has begun there, so that is rescued first. */
async function handBackUntidy(
  step: Step<Rows & Refs & Configured>,
  repo: TaskRepo,
  { facts, isUnderWay }: Extract<Snapshot, { kind: "untidy" }>,
): Promise<Outcome> {
  const cause = { repo: of(step, repo), untidy: facts }
  const outcome = handBackOrFail(step, "WORKTREE_ERROR", cause)
  const { worktree, branch, placed } = taskRepo(step, repo)
  if (outcome.event !== "handedBack" || !isUnderWay || !worktree || !branch) return outcome
  const tip = await readCommit(worktree, branchRef(branch))
  const request = { owner: ownerOf(step), safeCommits: tip ? [tip] : [], placed, reason: TIDIED }
  recordRescued(step.context, step.task.id, [await rescueWorktree(worktree, request)])
  return outcome
}

const TIDIED = "its agent was asked to tidy its worktree"

type Doubtful = ReadonlyMap<string, readonly Doubt[]>
type Head = { readonly name: string; readonly head: Oid }

/** By name of the repository, without what a person has approved. */
async function listDoubtful(step: Step<Rows & Refs>, heads: readonly Head[]): Promise<Doubtful> {
  const doubtful = new Map<string, readonly Doubt[]>()
  for (const { name, head } of heads) {
    const approvals = listApprovals(step.context.db, { task: step.task.id, name, head })
    if (approvals.some(({ approver }) => approver === A_PERSON)) continue
    const doubts = await listDoubts(step, { name }, head)
    if (doubts.length > 0) doubtful.set(name, doubts)
  }
  return doubtful
}

/** An agent is asked once. If the files stay as they are, a person decides. */
function handBackDoubtful(step: Step<Rows & Configured>, doubtful: Doubtful): Outcome | undefined {
  const { context, landing, task } = step
  const repo = landing.repos.find(({ name }) => doubtful.has(name))
  const asked = (landing.details ?? {}) as Partial<HandBackDetails>
  const isNew = (one: Doubt) => !isAsked(one, asked) && !wasAsked(step, doubtsReason([one]))
  const doubt = repo && doubtful.get(repo.name)?.find(isNew)
  if (!repo || !doubt) return undefined
  if (landing.handbacks >= context.agentConfig(task).landing.handbacksMax) return undefined
  const { outcome, ...facts } = doubt
  return handBackOrFail(step, outcome, { repo, ...facts })
}

const isAsked = (doubt: Doubt, { stale, stash }: Partial<HandBackDetails>): boolean =>
  ("stale" in doubt ? stale : stash) !== undefined

/** Whether the work went back for the same reason before another hand-back. */
function wasAsked({ context, task }: Step<Rows>, reason: string | undefined): boolean {
  const asked = { after: 0, task: task.id, limit: HAND_BACKS_MAX }
  const events = listEventsOf(context.db, ["landing.handed_back"], asked)
  return events.some(({ data }) => data["reason"] === reason)
}

/** More than `max_handbacks` allows in any landing of a task that people still follow. */
const HAND_BACKS_MAX = 1_000

async function onlyWork(
  step: Step<Configured>,
  repo: TaskRepo,
  snapshot: Snapshot,
): Promise<Snapshot> {
  if (snapshot.kind !== "taken") return snapshot
  const facts = await findForeignFiles(step, repo, snapshot.head)
  return facts ? { kind: "foreign", facts } : snapshot
}

function of({ landing }: Step, { name }: TaskRepo): LandingRepo {
  const repo = landing.repos.find((one) => one.name === name)
  assert(repo, "a task's repositories are its landing's")
  return repo
}

/** @returns undefined if no approval is missing. */
async function askForApproval(
  step: Step<Rows & Configured>,
  heads: readonly Head[],
  doubtful: Doubtful,
): Promise<Outcome | undefined> {
  const unapproved = await findUnapproved(
    step,
    new Map(heads.map(({ name, head }) => [name, head])),
    new Map(),
    new Map([...doubtful].map(([name, doubts]) => [name, doubtsReason(doubts) ?? ""])),
  )
  if (unapproved.length === 0) return undefined
  const repos = heads.map(({ name, head }) => {
    const base = unapproved.find((one) => one.name === name)?.base ?? null
    return { name, head, base, candidate: null }
  })
  const opinion = askReviewers(step, unapproved)
  if (opinion.kind === "outcome") return { ...opinion.outcome, repos }
  const flagged = await listFlagged(step, unapproved)
  const parts = [
    ...unapproved.flatMap(({ movedPast }) => movedPast ?? []).map(onTarget),
    ...unapproved.flatMap(({ doubts, outside }) => [doubts ?? [], outside ?? []].flat()),
    ...opinion.reasons,
    ...(flagged.length > 0 ? [gateFilesReason(flagged)] : []),
  ]
  const reason = parts.length > 0 ? parts.join("; it ") : null
  return { event: "reviewRequested", outcome: null, reason, details: null, repos }
}

const onTarget = (move: string) =>
  `is on its target, or a part of it is, and nothing let it through: ${move}`

/** The gate's own files among the changes that a person has to approve. */
async function listFlagged(
  { context, landing }: Step<Configured>,
  unapproved: readonly PendingApproval[],
): Promise<readonly string[]> {
  const flagged = unapproved.map(async ({ name, base, head }) => {
    const repo = landing.repos.find((one) => one.name === name)
    return repo ? await listGateFiles(context, { ...repo, base, candidate: head }) : []
  })
  return (await Promise.all(flagged)).flat()
}

/**
 * Part of the landing is published, so the rest lands from the same snapshot. Later work of an
 * agent or a person stays where it is.
 */
function takeAgain({ landing }: Step): Outcome {
  // A candidate that may be at its remote is what has landed there.
  const open = listOpen(landing).filter(({ receipt, pushed }) => receipt === null && !pushed)
  const repos = open.map(({ name }) => ({ name, base: null, candidate: null }))
  return { event: "snapshotted", repos }
}

const failed = (reason: string): Outcome => ({ event: "failed", outcome: "WORKTREE_ERROR", reason })

/**
 * Keeps the snapshot reachable, and commits of an earlier one that it no longer contains.
 *
 * For its gate a landing moves the task's branch to the candidate, so the next snapshot may be a
 * replay of the last one. Then we keep the agent's original commits. If the agent has gone on from
 * the candidate, its earlier commits are rescued.
 *
 * @throws {RefBusyError}
 */
async function keepHead(
  step: Step<Rows & Refs>,
  { path }: Pick<TaskRepo, "path">,
  head: Oid,
): Promise<void> {
  const owner = ownerOf(step)
  const kept = await findKept(path, owner, "head")
  const isWritten = step.landing.undoes === null // a revert can be made again
  if (isWritten && kept && kept !== head) {
    if ((await findKept(path, owner, "candidate")) === head) return
    const reason = `the snapshot of landing ${step.landing.id} took its place`
    recordRescued(step.context, step.task.id, [
      await rescueCommit(path, kept, { owner, safeCommits: [head], reason }),
    ])
  }
  await keep(path, owner, { kept: "head", commit: head })
}
