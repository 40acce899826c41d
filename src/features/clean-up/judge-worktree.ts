/** Judges one worktree: which task has it, what it holds, and whether it may be removed. */

import type { TaskId } from "../../base/ids.ts"
import { listWorkingFolders, type WorkingFolder } from "../../kernel/process/working-folders.ts"
import { listTaskWorktrees, type TaskWorktreeRow } from "../../kernel/tasks/rows/task-repos/list.ts"
import { findPoolEntry, type PoolEntry } from "../pool/rows/list.ts"
import type { Judging } from "./clean-up-item.ts"
import { inspectWorktree } from "./inspect-worktree.ts"
import {
  type CleanupRules,
  type CleanupVerdict,
  decideCleanup,
  type Wish,
  type WorktreeFacts,
} from "./rules.ts"
import { listTargets, type Targets } from "./safe-targets.ts"
import { type SurveyedWorktree, surveyWorktrees } from "./survey-worktrees.ts"

export type View = {
  readonly repo: string
  readonly nowMs: number
  readonly rows: readonly TaskWorktreeRow[]
  readonly targets: Targets
  readonly worktrees: readonly SurveyedWorktree[]
  readonly running: readonly WorkingFolder[]
}

export async function viewRepository(context: Judging, repo: string): Promise<View> {
  const nowMs = context.world.nowMs()
  const [worktrees, running] = await Promise.all([
    surveyWorktrees(context.db, repo),
    listWorkingFolders(),
  ])
  const rows = listRows(context, repo) // later than the survey: a new worktree has its task
  const ofTasks = [...new Set(rows.map(({ target }) => target))]
  const targets = await listTargets(context, repo, ofTasks)
  return { repo, nowMs, rows, targets, worktrees, running }
}

export function listRows(
  { db, isLeaving = false }: Pick<Judging, "db" | "isLeaving">,
  repo: string,
): readonly TaskWorktreeRow[] {
  return listTaskWorktrees(db, repo).map((row) => ({ ...row, isOver: row.isOver || isLeaving }))
}

export type Judged = CleanupVerdict & {
  readonly use: WorktreeFacts["use"] | "pool"
  /** The task that has it, or had it last; null for a pool's. */
  readonly task: TaskId | null
  /** The branch to delete with it; undefined if it is not ours, or in use. */
  readonly branch: string | undefined
  /** Paths that `copy` and `link` put there. */
  readonly placed: readonly string[]
}

const OF_POOL: Readonly<Record<PoolEntry["state"], string>> = {
  ready: "it is ready for the next task of its pool",
  filling: "it is being made ready for the next task of its pool",
  claimed: "a task is about to work in it",
  abandoned: "its task is over, and its pool removes it",
}

export async function judgeWorktree(
  context: Judging,
  view: View,
  worktree: SurveyedWorktree,
): Promise<Judged> {
  const { rows, targets, running, nowMs } = view
  const recorded = rows.filter((row) => row.worktree === worktree.path)
  const maker = rows.find(({ task }) => task === worktree.task)
  const users = recorded.length > 0 ? recorded : maker ? [maker] : []
  const task = users.at(-1)?.task ?? worktree.task
  const placed = placedIn(users)
  const base = { task, branch: undefined, placed: placed ?? [], isSafe: true }
  if (users.some(({ isOver }) => !isOver))
    return { ...base, use: "live", action: "keep", why: "its task is not over" }
  const isOfPool = users.length === 0 && !context.isLeaving
  const entry = isOfPool ? findPoolEntry(context.db, worktree.path) : undefined
  if (entry) return { ...base, use: "pool", action: "keep", why: OF_POOL[entry.state] }
  const isGone = worktree.gitDir === undefined // there is nothing left to keep
  const use = recorded.length > 0 && !isGone ? "finished" : "orphan"
  const branch = branchOf(worktree, view, recorded)
  const subject = branch === undefined ? worktree : { ...worktree, ownBranch: branch }
  const request = { targets: targets.commits, placed: base.placed, running }
  const { usedAtMs, ...look } = await inspectWorktree(context.db, subject, request)
  const ageMs = nowMs - Math.max(usedAtMs, ...users.map(({ updatedAtMs }) => updatedAtMs))
  const reason = isGone ? undefined : findReasonToKeep(context, users, placed)
  const blocker = look.blocker ?? reason ?? findForeignBranch(worktree, task)
  const wish = isGone ? undefined : findWish(context, users)
  const facts = { ...look, use, blocker, wish, ageMs } as const
  const verdict = decideCleanup(facts, rulesFor(context, users))
  return { ...base, ...verdict, use, branch }
}

/** A worktree without a task is on no branch, unless a person works there. */
const findForeignBranch = (
  { branch }: SurveyedWorktree,
  task: TaskId | null,
): string | undefined =>
  task === null && branch !== undefined ? `the branch ${branch} is checked out there` : undefined

/** The branch that we made, unless it is a target or in use by another live task. */
function branchOf(
  { branch, ownBranch }: SurveyedWorktree,
  { rows, targets }: View,
  recorded: readonly TaskWorktreeRow[],
): string | undefined {
  const own = recorded.at(-1)?.branch ?? ownBranch
  if (own === undefined || own !== branch || targets.branches.includes(own)) return undefined
  const isUsed = rows.some((row) => row.branch === own && (!row.isOver || row.agent === null))
  return isUsed ? undefined : own
}

/** @returns undefined if the record is unreadable. */
function placedIn(rows: readonly TaskWorktreeRow[]): string[] | undefined {
  try {
    return rows.flatMap(({ placed }) => JSON.parse(placed) as string[])
  } catch {
    return undefined
  }
}

/** The latest task's agent may have rules of its own. */
function rulesFor({ config, findAgent }: Judging, users: readonly TaskWorktreeRow[]): CleanupRules {
  const { ageMsMax, pruneUnmerged } = config().maintenance.worktrees
  const user = users.at(-1)
  const own = user && findAgent(user)?.maintenance
  return {
    ageMsMax: own?.enabled === false ? Number.POSITIVE_INFINITY : (own?.ageMsMax ?? ageMsMax),
    pruneUnmerged: own?.pruneUnmerged ?? pruneUnmerged,
  }
}

/** The setting that keeps it on purpose. */
function findWish(
  { findAgent }: Pick<Judging, "findAgent">,
  users: readonly TaskWorktreeRow[],
): Wish | undefined {
  for (const user of users) {
    const { agent, state } = user
    const { workspace, maintenance } = findAgent(user) ?? {}
    if (!workspace) continue
    const isCancelled = state === "cancelled"
    const wish = (why: string) => ({ why, mayRescue: isCancelled })
    const { keep } = workspace
    if (maintenance?.enabled === false)
      return wish(`\`maintenance.worktree_cleanup\` of ${agent} is off`)
    if (keep === "always" || (keep === "on_failure" && isCancelled))
      return wish(`\`workspace.keep\` of ${agent} is \`${keep}\``)
    if (isCancelled && !workspace.cleanupOnFailure)
      return wish(`\`workspace.cleanup_on_failure\` of ${agent} is off`)
  }
  return undefined
}

/** A recorded reason to keep it although nothing would be lost. */
function findReasonToKeep(
  { findAgent }: Pick<Judging, "findAgent">,
  users: readonly TaskWorktreeRow[],
  placed: readonly string[] | undefined,
): string | undefined {
  if (!placed) return "the record of its task cannot be read"
  for (const user of users) {
    const { agent } = user
    if (agent === null) return "a person's work is on record for it"
    if (!findAgent(user))
      return `\`agents.${agent}\` is no longer in coppice.yml, so its \`workspace.keep\` is unknown`
  }
  return undefined
}
