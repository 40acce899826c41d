/**
 * Removes what a cancelled task leaves: worktrees, branches and refs, after saving what they hold.
 *
 * A set-up that was cut short never recorded its worktree, so git is asked too. One event says how
 * it ended, and a task without it is still to be cleaned: after a crash all of this runs again.
 */
import { assert } from "../core/assert.ts"
import { branchRef, type Oid, type TaskId } from "../core/ids.ts"
import { FolderMissingError } from "../git/errors.ts"
import { listRefs } from "../git/for-each-ref.ts"
import { upstreamOf } from "../git/remote.ts"
import { findRepository } from "../git/repository.ts"
import { readCommit } from "../git/rev-parse.ts"
import { appendEvent } from "../store/events/append.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { listProcesses } from "../store/processes/list.ts"
import { transaction } from "../store/sql.ts"
import { findSharer } from "../store/task-repos/find-sharer.ts"
import { recordRemoved } from "../store/task-repos/record-removed.ts"
import { findTask } from "../store/tasks/find.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "../store/tasks/list-due.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import { findKept, forgetKept } from "../workspaces/keep-refs.ts"
import { rescueCommit } from "../workspaces/rescue.ts"
import { leaveDisposable, type TeardownContext, teardownOf } from "../workspaces/run-teardown.ts"
import { rescuePrefix } from "../workspaces/task-refs.ts"
import type { TornDown } from "../workspaces/workspace.ts"
import type { JobsContext } from "./context.ts"

export type CleaningContext = Pick<
  JobsContext,
  "db" | "world" | "home" | "workspaces" | "disposables" | "taskLock" | "findAgent"
> &
  TeardownContext

/** One repository of the task, and commits that are safe: what they contain needs no rescue. */
type Cleaning = {
  readonly context: CleaningContext
  readonly task: TaskId
  readonly repo: TaskRepo
  readonly contained: readonly Oid[]
  /** What is run before the recorded worktree goes. */
  readonly before: (() => Promise<void>) | undefined
}

const REASON = "its cancelled task was cleaned up"

/** What stays, one sentence for each; nothing where all is gone. */
type Kept = readonly string[]

/** @param signal ends it; all of it is done again later. */
export async function cleanCancelled(
  context: CleaningContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  const { db, world } = context
  if (listProcesses(db).some(({ task }) => task === id)) return
  await context.taskLock.hold(id, async () => {
    const task = findTask(db, id) // a landing may have recorded something until now
    assert(task, "a task that was cancelled is there")
    const kept: string[] = []
    for (const repo of task.repos) kept.push(...(await cleanRepo(context, { task, repo, signal })))
    const type = kept.length > 0 ? KEPT_EVENT : REMOVED_EVENT
    appendEvent(db, { type, task: id, data: { notices: kept } }, world.nowMs())
  })
}

async function cleanRepo(
  context: CleaningContext,
  { task, repo, signal }: { task: Task; repo: TaskRepo; signal: AbortSignal },
): Promise<Kept> {
  const { path } = repo
  if (task.strategy === "static") return [] // the folder is the user's: nothing of ours is in it
  if (!(await isThere(path)))
    return [`${path} is not a repository any more; what task ${task.id} left there is not touched.`]
  const leave = (worktree: string) => leaveDisposable(context, { task, repo, worktree, signal })
  await context.disposables.removeDisposable(path, task.id, leave)
  const upstream = await upstreamOf(path, repo.target)
  const safe = [
    await readCommit(path, branchRef(repo.target)),
    upstream && (await readCommit(path, upstream)),
    repo.base,
  ]
  const contained = safe.filter((commit) => typeof commit === "string")
  const before = teardownOf(context, { task, repo, signal })
  const cleaning = { context, task: task.id, repo, contained, before }
  const isOurs = task.agent !== null // what somebody else did stays as it is
  const kept = isOurs ? (findObjection(context, task) ?? (await removeWorkspaces(cleaning))) : []
  if (findLandingOfTask(context.db, task.id)) await forgetLanding(cleaning)
  return kept
}

/** Whether the repository is where it was; its folder may be gone, or a plain one by now. */
async function isThere(path: string): Promise<boolean> {
  try {
    return (await findRepository(path))?.root === path
  } catch (error) {
    if (error instanceof FolderMissingError) return false
    throw error
  }
}

/** Why worktree and branch stay although nothing would be lost. */
function findObjection({ findAgent }: CleaningContext, { agent }: Task): Kept | undefined {
  const config = agent === null ? undefined : findAgent(agent)
  if (!config) return [`\`agents.${agent}\` is not in coppice.yml any more, to say what is to go.`]
  return config.workspace.cleanupOnFailure
    ? undefined
    : [`\`workspace.cleanup_on_failure\` of ${agent} is off.`]
}

async function removeWorkspaces(cleaning: Cleaning): Promise<Kept> {
  const { context, task, repo, contained, before } = cleaning
  const { branch, worktree, placed, path } = repo
  const found = await context.workspaces.findWorkspaces(path, task)
  if (branch === null && found.length === 0) await context.workspaces.removeLeftBranch(path, task)
  const unrecorded = found.filter((one) => one.worktree !== worktree)
  const all = [
    ...(branch && worktree ? [{ branch, worktree, placed, before }] : []),
    // Where it was not recorded, set-up had not begun.
    ...unrecorded.map((one) => ({ ...one, placed: [], before: undefined })),
  ]
  const kept: string[] = []
  for (const workspace of all) {
    const sharer = findSharer(context.db, { ...workspace, task, path })
    if (sharer !== undefined) {
      if (workspace.worktree === worktree) recordRemoved(context.db, { task, name: repo.name })
      kept.push(`${workspace.worktree} is kept: task ${sharer} works there as well.`)
      continue
    }
    const request = { ...workspace, task, repo: path, contained, reason: REASON }
    const torn = await context.workspaces.teardown(request)
    record(cleaning, workspace.worktree, torn)
    if (torn.worktree === "kept" || torn.branch === "kept") kept.push(...torn.notices)
  }
  return kept
}

function record({ context, task, repo }: Cleaning, worktree: string, torn: TornDown): void {
  const { db } = context
  transaction(db, () => {
    tellRescued(context, task, torn.rescued)
    const isRecorded = worktree === repo.worktree
    if (isRecorded && torn.worktree === "removed") recordRemoved(db, { task, name: repo.name })
  })
}

/** The snapshot is what the agent wrote; the candidate was made of it and can be made again. */
async function forgetLanding({ context, task, repo, contained }: Cleaning): Promise<void> {
  const { path, branch } = repo
  const owner = { home: context.home, task }
  const head = await findKept(path, owner, "head")
  if (head) {
    const tip = branch === null ? undefined : await readCommit(path, branchRef(branch))
    const rescues = await listRefs(path, await rescuePrefix(path, owner))
    const safe = [...contained, ...(tip ? [tip] : []), ...rescues.map(({ oid }) => oid)]
    const request = { owner, contained: safe, reason: REASON }
    const rescued = await rescueCommit(path, head, request)
    if (rescued) tellRescued(context, task, [rescued])
  }
  await forgetKept(path, owner)
}

function tellRescued(
  { db, world }: CleaningContext,
  task: TaskId,
  rescued: TornDown["rescued"],
): void {
  for (const { ref, commit, paths } of rescued) {
    const data = { ref, commit, paths }
    appendEvent(db, { type: "rescue.made", task, data }, world.nowMs())
  }
}
