/**
 * Computes what a landing of a task's work would do now, with the landing's own steps. Changes
 * nothing; it writes only unreferenced objects.
 */

import type { LandingPlanDocument } from "../../api/wire/landings.ts"
import { branchRef, type LandingId, type Oid } from "../../base/ids.ts"
import { readAttribute } from "../../kernel/git/ask/check-attr.ts"
import { countCommits } from "../../kernel/git/ask/rev-list.ts"
import { displayPath } from "../../kernel/git/start/git-path.ts"
import type { Configured, Refs, Rows, Step } from "../../kernel/landing/action.ts"
import { type Candidate, makeCandidate } from "../../kernel/landing/candidate/candidate.ts"
import { findUnfit } from "../../kernel/landing/candidate/unfit-trees.ts"
import { chooseGate, isGreen } from "../../kernel/landing/gate/choose-gate.ts"
import { listGateFiles } from "../../kernel/landing/gate/gate-files.ts"
import { lookAtCheckout } from "../../kernel/landing/move/target-checkout.ts"
import { foreignReason } from "../../kernel/landing/prompts/foreign-files.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { Landing, LandingRepo } from "../../kernel/landing/rows/row.ts"
import { doubtsReason, listDoubts } from "../../kernel/landing/snapshot/doubts.ts"
import { findForeignFiles } from "../../kernel/landing/snapshot/foreign-files.ts"
import { listLeftovers } from "../../kernel/landing/snapshot/leftovers.ts"
import { findPlaceOfWork } from "../../kernel/landing/snapshot/snapshot-work.ts"
import { readWorkNow } from "../../kernel/landing/snapshot/work-now.ts"
import type { Task, TaskRepo } from "../../kernel/tasks/rows/row.ts"

type RepoPreview = LandingPlanDocument["repos"][number]
type Previewing = Rows & Refs & Configured

const NO_LANDING = 0 as LandingId
const NOTHING_MET: RepoPreview["publish"] = { kind: "ref", checkout: null, reason: null, paths: [] }

/** @param task a recorded task, or a made-up one for work without a task. */
export async function previewLanding(context: Previewing, task: Task): Promise<RepoPreview[]> {
  const previews: RepoPreview[] = []
  for (const repo of task.repos) previews.push(await previewRepo(context, task, repo))
  return previews
}

async function previewRepo(context: Previewing, task: Task, repo: TaskRepo): Promise<RepoPreview> {
  const { name, path, branch, target } = repo
  const work = await readWorkNow(task, repo, findLandingOfTask(context.db, task.id))
  const nothing: RepoPreview = {
    name,
    path,
    branch,
    target,
    head: null,
    base: null,
    way: "refused",
    reason: null,
    commits: 0,
    candidate: null,
    conflicts: [],
    gate: null,
    gateFiles: [],

    publish: NOTHING_MET,
    removes: [],
    leftovers: { land: task.strategy !== null, paths: [] },
  }
  if (!work) return { ...nothing, reason: "there is no work, or it no longer exists" }
  const head = work.whole
  const landed = { name, path, target: branchRef(target), head, base: null, candidate: null }
  const step = stepOf(context, task, { ...landed, ...NOT_BEGUN })
  const made = await makeCandidate(step, { ...landed, ...NOT_BEGUN })
  const place = task.strategy === null ? await findPlaceOfWork(repo) : undefined
  const paths = place ? await listLeftovers(place) : work.leftovers
  const leftovers = { ...nothing.leftovers, paths: paths.map(displayPath) }
  const foreign = await findForeignFiles(step, repo, head)
  const doubts = doubtsReason(await listDoubts(step, repo, head))
  const unsafe = foreign ? foreignReason(foreign) : doubts && `it ${doubts}`
  const refusal = work.notices[0] ?? unsafe ?? null
  const looked: RepoPreview = {
    ...nothing,
    ...(await outcomeOf(path, head, made)),
    head: work.head,
    leftovers,
  }
  if (refusal !== null) return { ...looked, way: "refused", reason: refusal }
  if (made.kind !== "made") return looked
  const unfit = await findUnfit(path, made)
  if (unfit !== undefined) return { ...looked, way: "refused", reason: unfit }
  const { target: base, candidate } = made
  const prepared = { ...landed, base, candidate, ...NOT_BEGUN }
  return { ...looked, ...(await previewRest(stepOf(context, task, prepared), prepared)) }
}

const NOT_BEGUN = { published: false, receipt: null, pushed: false, intent: null } as const

/** A hypothetical landing. */
function stepOf(context: Previewing, task: Task, repo: LandingRepo): Step<Previewing> {
  const landing: Landing = {
    id: NO_LANDING,
    task: task.id,
    state: "preparing",
    outcome: null,
    reason: null,
    details: null,
    attempts: 0,
    races: 0,
    handbacks: 0,
    wakeAtMs: null,
    sinceMs: 0,
    queuedAtMs: 0,
    decided: false,
    undoes: null,
    repos: [repo],
  }
  return { context, landing, task, signal: new AbortController().signal }
}

async function outcomeOf(repo: string, head: Oid, made: Candidate): Promise<Partial<RepoPreview>> {
  if (made.kind === "impossible" || made.kind === "gone" || made.kind === "apart")
    return { way: "refused", reason: made.reason }
  const base = made.target
  const commits = await countCommits(repo, { from: base, to: head })
  if (made.kind === "unchanged") return { way: "nothing", base, commits }
  if (made.kind === "made") return { way: made.way, base, commits, candidate: made.candidate }
  return { way: "conflict", base, commits, conflicts: await conflictsOf(repo, made) }
}

/** A merge driver is a foreign program, so none runs here. But one might resolve the conflict. */
async function conflictsOf(
  repo: string,
  { paths, readConflicts, drivers }: Candidate & { readonly kind: "conflict" },
): Promise<RepoPreview["conflicts"]> {
  const asked = drivers.length > 0 ? await readAttribute(repo, "merge", paths) : []
  return (await readConflicts()).map(({ path, kind }, at) => {
    const driver = drivers.find((name) => name === asked[at]) ?? null
    return { path: displayPath(path), kind, driver }
  })
}

/** The steps after the candidate. */
async function previewRest(
  step: Step<Rows & Configured>,
  repo: LandingRepo & { readonly base: Oid; readonly candidate: Oid },
): Promise<Partial<RepoPreview>> {
  const { path, target, base, candidate } = repo
  const gate = await chooseGate(step, repo)
  const look = await lookAtCheckout(path, { target, from: base, to: candidate })
  return {
    gate:
      gate.kind === "none"
        ? null
        : {
            command: gate.title,
            worktree: gate.kind === "run" ? gate.worktree : null,
            remembered: gate.kind === "run" ? null : isGreen(gate) ? "passed" : "failed",
          },
    gateFiles: [...(await listGateFiles(step.context, repo))],
    publish: publishOf(look),
    removes: removesOf(step.task, repo.name),
  }
}

function publishOf(look: Awaited<ReturnType<typeof lookAtCheckout>>): RepoPreview["publish"] {
  if (look.kind === "none") return NOTHING_MET
  if (look.kind === "clear") return { ...NOTHING_MET, kind: "checkout", checkout: look.checkout }
  const paths = look.kind === "inTheWay" ? [...look.paths] : []
  return { kind: "waits", checkout: null, reason: look.reason, paths }
}

/** Work without an agent keeps its branch and worktree. */
function removesOf({ strategy, repos }: Task, name: string): string[] {
  const repo = repos.find((one) => one.name === name)
  if (strategy === null || !repo) return []
  return [repo.worktree, repo.branch].filter((thing) => thing !== null)
}
