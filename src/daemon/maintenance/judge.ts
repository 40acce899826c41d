/** Judges one worktree: who has it, what it holds, and what is to become of it. */
import type { CleanupVerdict, WorktreeFacts } from "../../core/cleanup.ts"
import { decideCleanup } from "../../core/cleanup.ts"
import type { TaskId } from "../../core/ids.ts"
import { listWorkingFolders, type WorkingFolder } from "../../process/working-folders.ts"
import { listTaskWorktrees, type TaskWorktreeRow } from "../../store/task-repos/list-worktrees.ts"
import { inspectWorktree } from "../../workspaces/cleanup/inspect.ts"
import { type SurveyedWorktree, surveyWorktrees } from "../../workspaces/cleanup/survey.ts"
import type { MaintenanceContext } from "./context.ts"
import { listTargets, type Targets, worktreeFolders } from "./places.ts"

/** A repository as it is now. */
export type View = {
  readonly repo: string
  readonly nowMs: number
  readonly folders: readonly string[]
  readonly rows: readonly TaskWorktreeRow[]
  readonly targets: Targets
  readonly worktrees: readonly SurveyedWorktree[]
  readonly running: readonly WorkingFolder[]
}

export async function lookAtRepository(context: MaintenanceContext, repo: string): Promise<View> {
  const nowMs = context.world.nowMs()
  const rows = listTaskWorktrees(context.db, repo)
  const folders = worktreeFolders(context, repo)
  const ofTasks = [...new Set(rows.map(({ target }) => target))]
  const [targets, worktrees, running] = await Promise.all([
    listTargets(context, repo, ofTasks),
    surveyWorktrees({ home: context.stateDir, repo, folders, nowMs }),
    listWorkingFolders(),
  ])
  return { repo, nowMs, folders, rows, targets, worktrees, running }
}

export type Judged = CleanupVerdict & {
  readonly use: WorktreeFacts["use"]
  readonly ageMs: number
  /** The task that has it, or had it last. */
  readonly task: TaskId
  /** To be deleted with it; undefined where it is not ours, or in use. */
  readonly branch: string | undefined
  /** Paths that `copy` and `link` put there. */
  readonly placed: readonly string[]
}

export async function judgeWorktree(
  context: MaintenanceContext,
  view: View,
  worktree: SurveyedWorktree,
): Promise<Judged> {
  const { rows, targets, running, nowMs } = view
  const havers = rows.filter((row) => row.worktree === worktree.path)
  const maker = rows.find(({ task }) => task === worktree.task)
  const users = havers.length > 0 ? havers : maker ? [maker] : []
  const last = users.at(-1)
  const use = useOf(worktree, users, havers.length > 0)
  const placed = placedIn(users)
  const base = { use, task: last?.task ?? worktree.task, placed: placed ?? [] }
  const branch = branchOf(worktree, view, havers)
  if (use === "live") {
    const facts = {
      use,
      hindrance: undefined,
      uncommitted: 0,
      containment: "none",
      ageMs: 0,
    } as const
    return { ...base, ...decideCleanup(facts, rules(context)), branch: undefined, ageMs: 0 }
  }
  const subject = branch === undefined ? worktree : { ...worktree, ownBranch: branch }
  const request = { targets: targets.commits, placed: base.placed, running }
  const { usedAtMs, ...look } = await inspectWorktree(subject, request)
  const ageMs = nowMs - Math.max(usedAtMs, ...users.map(({ updatedAtMs }) => updatedAtMs))
  const hindrance = look.hindrance ?? findWish(context, users, placed)
  const facts = { ...look, use, hindrance, ageMs }
  return { ...base, ...decideCleanup(facts, rules(context)), branch, ageMs }
}

const rules = ({ config }: MaintenanceContext) => config().maintenance.worktrees

function useOf(
  { kind }: SurveyedWorktree,
  users: readonly TaskWorktreeRow[],
  isOnRecord: boolean,
): WorktreeFacts["use"] {
  if (users.some(({ isOver }) => !isOver)) return "live"
  if (kind === "half_made") return "half_made"
  return isOnRecord ? "finished" : "orphan"
}

/** The branch that we made, unless it is a target, or a task that is not over works on it. */
function branchOf(
  { branch, ownBranch }: SurveyedWorktree,
  { rows, targets }: View,
  havers: readonly TaskWorktreeRow[],
): string | undefined {
  const own = havers.at(-1)?.branch ?? ownBranch
  if (own === undefined || own !== branch || targets.branches.includes(own)) return undefined
  const isUsed = rows.some((row) => row.branch === own && (!row.isOver || row.agent === null))
  return isUsed ? undefined : own
}

/** @returns undefined where what is on record cannot be read. */
function placedIn(rows: readonly TaskWorktreeRow[]): string[] | undefined {
  try {
    return rows.flatMap(({ placed }) => JSON.parse(placed) as string[])
  } catch {
    return undefined
  }
}

/** Why it stays although nothing would be lost: somebody wants it to. */
function findWish(
  { findAgent }: MaintenanceContext,
  users: readonly TaskWorktreeRow[],
  placed: readonly string[] | undefined,
): string | undefined {
  if (!placed) return "what is on record of its task cannot be read"
  for (const { agent, state } of users) {
    if (agent === null) return "a person's work is on record for it"
    const workspace = findAgent(agent)?.workspace
    if (!workspace)
      return `\`agents.${agent}\` is not in coppice.yml any more, to say what is to go`
    const { keep } = workspace
    if (keep === "always" || (keep === "on_failure" && state === "cancelled"))
      return `\`workspace.keep\` of ${agent} is \`${keep}\``
    if (state === "cancelled" && !workspace.cleanupOnFailure)
      return `\`workspace.cleanup_on_failure\` of ${agent} is off`
  }
  return undefined
}
