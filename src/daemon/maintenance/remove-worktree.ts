/**
 * Removes a worktree that a plan says may go, if that still holds.
 *
 * Under its task's lock it is judged anew, so that whoever took it up meanwhile keeps it. Each commit
 * that the target does not have itself is under a rescue ref before anything goes, also where its
 * change is on the target. Cut off anywhere, the next look finds what is left and goes on.
 */
import { AppError } from "../../core/errors.ts"
import { appendEvent } from "../../store/events/append.ts"
import { transaction } from "../../store/sql.ts"
import { listTaskWorktrees } from "../../store/task-repos/list-worktrees.ts"
import { recordRemoved } from "../../store/task-repos/record-removed.ts"
import { findTask } from "../../store/tasks/find.ts"
import { forgetWorktreeSize } from "../../store/worktree-sizes/forget.ts"
import { listHeldCommits } from "../../workspaces/cleanup/inspect.ts"
import { removeHalfMade } from "../../workspaces/cleanup/remove-empty.ts"
import type { SurveyedWorktree } from "../../workspaces/cleanup/survey.ts"
import { rescueCommit } from "../../workspaces/rescue.ts"
import { leaveDisposable, teardownOf } from "../../workspaces/setup/run-teardown.ts"
import type { TornDown } from "../../workspaces/workspace.ts"
import type { MaintenanceContext } from "./context.ts"
import { type Done, kept, removed } from "./item.ts"
import { type Judged, judgeWorktree, lookAtRepository, type View } from "./judge.ts"

/** A turn or a landing that has it goes on for long; the next clean-up comes by again. */
const WAIT_MS_MAX = 1_000
const REASON = "its worktree was cleaned up"

export type ToRemove = {
  readonly worktree: SurveyedWorktree
  /** The disk is short: its age does not count. */
  readonly isForced: boolean
}

export async function removeJudged(
  context: MaintenanceContext,
  { worktree: planned, isForced }: ToRemove,
  signal: AbortSignal,
): Promise<Done> {
  const { taskLock } = context
  return await taskLock.hold(planned.task, async () => {
    const limits = { task: planned.task, timeoutMs: WAIT_MS_MAX, signal }
    using lease = await taskLock.worktrees.own([planned.path], limits)
    if (!lease) return kept("somebody works there now")
    const view = await lookAtRepository(context, planned.repo)
    const worktree = view.worktrees.find(({ path }) => path === planned.path)
    if (!worktree) return removed([], "it was gone already")
    const judged = await judgeWorktree(context, view, worktree)
    const isToGo = judged.action === "remove" || (isForced && judged.isSafe)
    if (!isToGo) return kept(judged.why)
    await context.world.point("cleanup: judged")
    if (judged.use === "half_made") return await removeEmpty(view, worktree)
    return await remove(context, { view, worktree, judged, signal })
  })
}

async function removeEmpty(view: View, worktree: SurveyedWorktree): Promise<Done> {
  return (await removeHalfMade(view, worktree)) ? removed() : kept("something came into it")
}

type Removal = {
  readonly view: View
  readonly worktree: SurveyedWorktree
  readonly judged: Judged
  readonly signal: AbortSignal
}

/** What the repository has for worktrees that go, of the task that has this one on record. */
function beforeItGoes(
  context: MaintenanceContext,
  { view, worktree, judged, signal }: Removal,
): (() => Promise<void>) | undefined {
  const task = findTask(context.db, judged.task)
  const repo = task?.repos.find((one) => one.path === view.repo && one.worktree === worktree.path)
  return task && repo && teardownOf(context, { task, repo, signal })
}

async function remove(context: MaintenanceContext, removal: Removal): Promise<Done> {
  const { view, worktree, judged } = removal
  const { repo, path } = worktree
  const owner = { home: context.stateDir, task: judged.task }
  const contained = [...view.targets.commits]
  const rescued: TornDown["rescued"][number][] = []
  const subject = judged.branch === undefined ? worktree : { ...worktree, ownBranch: judged.branch }
  for (const commit of await listHeldCommits(subject)) {
    const rescue = await rescueCommit(repo, commit, { owner, contained, reason: REASON })
    if (!rescue) continue
    rescued.push(rescue)
    contained.push(rescue.commit)
  }
  await context.world.point("cleanup: rescued")
  const workspace = { repo, worktree: path, branch: judged.branch, placed: judged.placed }
  const before = beforeItGoes(context, removal)
  const request = { ...workspace, task: judged.task, contained, reason: REASON, before }
  const torn = await context.workspaces.teardown(request)
  rescued.push(...torn.rescued)
  await context.world.point("cleanup: removed")
  record(context, removal, { torn, rescued })
  const refs = rescued.map(({ ref }) => ref)
  const note = torn.notices.join(" ") || null
  return torn.worktree === "removed" ? removed(refs, note) : kept(note ?? "it stays", refs)
}

function record(
  { db, world }: MaintenanceContext,
  { view, worktree, judged }: Removal,
  { torn, rescued }: { readonly torn: TornDown; readonly rescued: TornDown["rescued"] },
): void {
  const { path, repo } = worktree
  const nowMs = world.nowMs()
  transaction(db, () => {
    for (const { ref, commit, paths } of rescued)
      appendEvent(
        db,
        { type: "rescue.made", task: judged.task, data: { ref, commit, paths } },
        nowMs,
      )
    if (torn.worktree === "kept") return
    const branch = judged.branch === undefined ? "kept" : torn.branch
    for (const row of view.rows) if (row.worktree === path) recordRemoved(db, row, branch)
    forgetWorktreeSize(db, path)
    const data = { repo, worktree: path, branch: judged.branch ?? null, why: judged.why }
    appendEvent(db, { type: "worktree.cleaned", task: judged.task, data }, nowMs)
  })
}

export async function removeDisposable(
  context: MaintenanceContext,
  { repo: path, task: id }: Pick<SurveyedWorktree, "repo" | "task">,
  signal: AbortSignal,
): Promise<Done> {
  const { db, disposables, taskLock } = context
  return await taskLock.hold(id, async () => {
    const rows = listTaskWorktrees(db, path).filter((row) => row.task === id)
    if (rows.some(({ isOver }) => !isOver)) return kept("its task goes on")
    const task = findTask(db, id)
    const repo = task?.repos.find((one) => one.path === path)
    await disposables.removeDisposable(path, id, async (worktree) => {
      if (task && repo) await leaveDisposable(context, { task, repo, worktree, signal })
    })
    return removed()
  })
}

/** What cannot be done now is no reason not to do the rest. */
export async function attemptItem(act: () => Promise<Done>): Promise<Done> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return kept(error.message)
  }
}
