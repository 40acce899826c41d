/**
 * The removal of a worktree that the clean-up list lets go, if that is still true.
 *
 * It is judged again under its task's lock, so that a task that has taken it since keeps it. The
 * strategy saves and removes (`git-worktree/teardown.ts`). After an interruption the next run finds
 * the rest.
 */
import { AppError } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordRemoved } from "../../kernel/tasks/rows/task-repos/removal.ts"
import { recordRescued } from "../../kernel/workspaces/rows/rescues.ts"
import { tearDownDisposable, teardownOf } from "../../kernel/workspaces/setup/run-teardown.ts"
import type { TornDown } from "../../kernel/workspaces/workspace.ts"
import { hasProcess, type ItemOutcome, kept, type Removing, removed } from "./clean-up-item.ts"
import {
  type Judged,
  judgeWorktree,
  listRows,
  type View,
  viewRepository,
} from "./judge-worktree.ts"
import type { SurveyedWorktree } from "./survey-worktrees.ts"

/** A turn or a landing holds the lock for long; the next clean-up will try again. */
const WAIT_MS_MAX = 1_000
const REASON = "its worktree was cleaned up"

export async function removeJudged(
  context: Removing,
  listed: SurveyedWorktree,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const { taskLock } = context
  const task = listed.task ?? NO_TASK
  return await taskLock.hold(task, async () => {
    const limits = { task, timeoutMs: WAIT_MS_MAX, signal }
    using lease = await taskLock.worktrees.own([listed.path], limits)
    if (!lease) return kept("it is in use now")
    const view = await viewRepository(context, listed.repo)
    const worktree = view.worktrees.find(({ path }) => path === listed.path)
    if (!worktree) return removed([], "it was gone already")
    const judged = await judgeWorktree(context, view, worktree)
    if (judged.action === "keep") return kept(judged.why)
    await context.world.point("cleanup: judged")
    if (judged.task !== null && hasProcess(context.db, judged.task))
      return kept("a process of its task runs") // as a terminal that was opened since
    return await remove(context, { view, worktree, judged, signal })
  })
}

/** No task has this id; it locks worktrees that were made for no task. */
const NO_TASK = 0 as TaskId

type Removal = {
  readonly view: View
  readonly worktree: SurveyedWorktree
  readonly judged: Judged
  readonly signal: AbortSignal
}

/** The repository's teardown, for the task that has this worktree on record. */
function beforeItGoes(
  context: Removing,
  { view, worktree, judged, signal }: Removal,
): (() => Promise<void>) | undefined {
  const task = findTask(context.db, judged.task)
  const repo = task?.repos.find((one) => one.path === view.repo && one.worktree === worktree.path)
  return task && repo && teardownOf(context, { task, repo, signal })
}

async function remove(context: Removing, removal: Removal): Promise<ItemOutcome> {
  const { view, worktree, judged } = removal
  const torn = await context.workspaces.teardown({
    repo: worktree.repo,
    worktree: worktree.path,
    task: judged.task ?? "pool",
    branch: judged.branch,
    placed: judged.placed,
    safeCommits: view.targets.commits,
    reason: REASON,
    before: beforeItGoes(context, removal),
  })
  await context.world.point("cleanup: removed")
  record(context, removal, torn)
  const refs = torn.rescued.map(({ ref }) => ref)
  const note = torn.notices.join(" ") || null
  return torn.worktree === "removed" ? removed(refs, note) : kept(note ?? "it stays", refs)
}

function record(
  { db, world }: Pick<Removing, "db" | "world">,
  { view, worktree, judged }: Removal,
  torn: TornDown,
): void {
  const { path, repo } = worktree
  const { task } = judged
  const nowMs = world.nowMs()
  transaction(db, () => {
    recordRescued({ db, world }, task, torn.rescued)
    if (torn.worktree === "kept") return
    const branch = judged.branch === undefined ? "kept" : torn.branch
    for (const row of view.rows) if (row.worktree === path) recordRemoved(db, row, branch)
    const data = { repo, worktree: path, branch: judged.branch ?? null, why: judged.why }
    appendEvent(db, { type: "worktree.cleaned", task, data }, nowMs)
  })
}

export async function removeDisposable(
  context: Removing,
  { repo: path, task: id }: { readonly repo: string; readonly task: TaskId },
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const { db, disposables, taskLock } = context
  return await taskLock.hold(id, async () => {
    const rows = listRows(context, path).filter((row) => row.task === id)
    if (rows.some(({ isOver }) => !isOver)) return kept("its task goes on")
    const task = findTask(db, id)
    const repo = task?.repos.find((one) => one.path === path)
    await disposables.removeDisposable(path, id, async (worktree) => {
      if (task && repo) await tearDownDisposable(context, { task, repo, worktree, signal })
    })
    return removed()
  })
}

/** A failure of one item does not stop the others. */
export async function attemptItem(act: () => Promise<ItemOutcome>): Promise<ItemOutcome> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return kept(error.message)
  }
}
