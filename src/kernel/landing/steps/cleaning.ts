/**
 * Records where the work landed, then removes worktree and branch.
 *
 * The work is safe on its target, so nothing here may fail the landing. Anything that cannot be
 * removed stays, with a notice. Unknown files and late commits are rescued first.
 */
import { existsSync } from "node:fs"
import { assert } from "../../../base/assert.ts"
import { isTransient } from "../../../base/errors.ts"
import { branchRef, type Oid, type TaskId } from "../../../base/ids.ts"
import { trackingRef } from "../../../features/pull-requests/ship/remote.ts"
import { removeBranch } from "../../../features/pull-requests/ship/remove-branch.ts"
import { takeOff } from "../../../features/stacks/rows.ts"
import { readHead } from "../../git/ask/head.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { GitError } from "../../git/start/errors.ts"
import type { Db } from "../../store/open.ts"
import { listProcesses } from "../../store/processes.ts"
import { transaction } from "../../store/sql.ts"
import { findSharer } from "../../tasks/rows/task-repos/list.ts"
import { recordRemoved } from "../../tasks/rows/task-repos/removal.ts"
import { recordLanded, recordTakenBack } from "../../tasks/rows/task-repos/work.ts"
import { findKept, forgetKept } from "../../workspaces/keep-refs.ts"
import { keepLanded } from "../../workspaces/landed-refs.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { teardownOf } from "../../workspaces/setup/run-teardown.ts"
import type { TornDown } from "../../workspaces/workspace.ts"
import {
  type Action,
  type Configured,
  type Forges,
  type Outcome,
  ownerOf,
  type Programs,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
  type Workspaces,
} from "../action.ts"
import { findLanding } from "../rows/find.ts"
import type { Landing, LandingRepo } from "../rows/row.ts"

type Cleaning = Rows & Refs & Configured & Workspaces & Programs & Forges

export const cleaning: Action<Cleaning> = async (step) => {
  const { db } = step.context
  if (listProcesses(db).some(({ task }) => task === step.task.id)) return "later"
  const left: string[] = []
  let records: (() => void) | undefined
  for (const repo of step.landing.repos) {
    if (records) transaction(db, records) // each on its own, even if the next one fails
    const cleaned = await clean(step, repo)
    left.push(...cleaned.notices)
    records = cleaned.record
  }
  return { event: "cleaned", reason: left.length > 0 ? left.join("; ") : null, records }
}

/** After an error that stays: the work has landed all the same, and what was not removed stays. */
export const uncleaned = (step: Step<Rows>, reason: string): Outcome => ({
  event: "cleaned",
  reason,
  records: () => {
    for (const repo of step.landing.repos) recordWork(step, repo)
  },
})

/** Safe to repeat. */
function recordWork(
  { context: { db }, landing, task }: Step<Rows>,
  { name, base, candidate }: LandingRepo,
): void {
  assert(base && candidate, "a landing that is cleaned up knows where the work went")
  recordLanded(db, { task: task.id, name, mergeBase: base, mergeTip: candidate })
  recordUndone(db, landing, { name, tip: candidate })
  if (task.land === "pr") takeOff(db, { lower: task.id })
}

/**
 * Notices about leftovers and the reason, one sentence each. The caller runs `record` in a
 * transaction.
 */
type Cleaned = { readonly notices: readonly string[]; record(): void }

async function clean(step: Step<Cleaning>, repo: LandingRepo): Promise<Cleaned> {
  const { context, task } = step
  const { candidate, path, name } = repo
  assert(candidate, "a landing that is cleaned up has a candidate")
  await rescueDropped(step, repo, candidate)
  const { isGone, notices, branch } = await tearDown(step, repo)
  const stays = await removeBranch(step, repo).catch((error: unknown) => {
    if (step.signal.aborted || !(error instanceof GitError) || isTransient(error)) throw error
    return `Its branch stays at its remote: ${error.message}` // the worktree is gone all the same
  })
  await context.world.point("cleaning: removed")
  await forgetKept(path, ownerOf(step))
  const record = () => {
    recordWork(step, repo)
    if (isGone) recordRemoved(context.db, { task: task.id, name }, branch)
  }
  return { notices: stays === undefined ? notices : [...notices, stays], record }
}

/** A user may have reset the target since. Then only our rescue ref keeps the work. */
async function rescueDropped(
  step: Step<Rows & Refs & Configured>,
  repo: LandingRepo,
  candidate: Oid,
): Promise<void> {
  const { landing, task } = step
  const { path, target } = repo
  if (landing.undoes !== null) return // a revert, which no agent wrote
  // A pull request moves the target of the remote: the local one follows when its user pulls.
  const now = await readCommit(path, task.land === "pr" ? trackingRef(step, repo) : target)
  const safeCommits = now === undefined ? [] : [now]
  const reason = `landing ${landing.id} was cleaned up, off its target`
  recordRescued(step.context, step.task.id, [
    await rescueCommit(path, candidate, { owner: ownerOf(step), safeCommits, reason }),
  ])
}

/** `isGone`: the task no longer has its worktree. */
type Left = Partial<Pick<TornDown, "branch">> & {
  readonly isGone: boolean
  readonly notices: readonly string[]
}

/** Branch and worktree belong to a user, so they stay. Landed work is reachable without them. */
async function leave(step: Step<Refs>, repo: LandingRepo): Promise<Left> {
  const { landing } = step
  const { candidate, head, path } = repo
  const { branch, worktree } = taskRepo(step, repo)
  assert(candidate && head, "a landing that is cleaned up has a head and a candidate")
  const tip = branch === null ? undefined : await readCommit(path, branchRef(branch))
  const isThere = worktree !== null && existsSync(worktree)
  const stands = isThere ? (await readHead(worktree)).commit : undefined
  const safeCommits = [candidate, tip, stands].filter((commit) => commit !== undefined)
  const reason = `landing ${landing.id} was cleaned up`
  await keepLanded(path, head, { owner: ownerOf(step), safeCommits, reason })
  return { isGone: false, notices: [] }
}

/** Keeps the agent's commits reachable where the candidate is a replay of them. */
async function tearDown(step: Step<Cleaning>, repo: LandingRepo): Promise<Left> {
  const { context, landing, task } = step
  const { base, candidate, head, path } = repo
  const { worktree, branch, placed } = taskRepo(step, repo)
  assert(candidate && head, "a landing that is cleaned up has a head and a candidate")
  const owner = ownerOf(step)
  const request = {
    owner,
    safeCommits: [candidate],
    reason: `landing ${landing.id} was cleaned up`,
  }
  if (landing.undoes !== null) return { isGone: false, notices: [] } // no agent wrote its head
  if (task.strategy === null) return await leave(step, repo)
  const written = (await findKept(path, owner, "head")) ?? head
  // A replay never contains what it replays, so git is asked only where there was none.
  const isReplay = candidate !== base && candidate !== written
  await keepLanded(path, written, { ...request, safeCommits: isReplay ? [] : [candidate] })
  await context.world.point("cleaning: rescued")
  if (!branch || !worktree) return { isGone: true, notices: [] }
  const sharer = findSharer(context.db, { task: task.id, path, branch, worktree })
  if (sharer !== undefined) return { isGone: true, notices: [sharedNotice(sharer, branch)] }
  if (context.agentConfig(task).workspace.keep === "always")
    return { isGone: false, notices: [keptNotice(branch)] }
  const safeCommits = [candidate, head]
  const before = teardownOf(context, { task, repo: taskRepo(step, repo), signal: step.signal })
  const workspace = { ...request, task: task.id, safeCommits, repo: path, worktree, branch, placed }
  const torn = await context.workspaces.teardown({ ...workspace, before })
  recordRescued(step.context, step.task.id, torn.rescued)
  return { isGone: torn.worktree === "removed", branch: torn.branch, notices: torn.notices }
}

const sharedNotice = (sharer: TaskId, branch: string) =>
  `The branch ${branch} and its worktree are kept: task ${sharer} works there as well.`

const keptNotice = (branch: string) =>
  `The branch ${branch} and its worktree are kept: \`workspace.keep\` is \`always\`.`

/**
 * The undone landing is off the target. If it had itself undone another, that one is on the target
 * again, and so on.
 *
 * @param undone `tip`: the target's commit from which on it is off.
 */
function recordUndone(
  db: Db,
  { undoes }: Landing,
  undone: { readonly name: string; readonly tip: Oid },
): void {
  const { name, tip } = undone
  let earlier = undoes === null ? undefined : findLanding(db, undoes)
  for (let isOff = true; earlier; isOff = !isOff) {
    const repo = earlier.repos.find((one) => one.name === name)
    if (!repo) return
    recordTakenBack(db, { task: earlier.task, name, tip: isOff ? tip : null })
    earlier = earlier.undoes === null ? undefined : findLanding(db, earlier.undoes)
  }
}
