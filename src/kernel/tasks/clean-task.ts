/**
 * Removes a task's worktrees, branches and refs from its repositories, after saving their work.
 *
 * A set-up that was cut short never recorded its worktree, so git is asked too. Safe to repeat: the
 * second run finds less to do.
 */
import { AppError, isTransient } from "../../base/errors.ts"
import { branchRef, type Oid, type TaskId } from "../../base/ids.ts"
import { upstreamOf } from "../git/ask/remote.ts"
import { findRepository } from "../git/ask/repository.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { FolderMissingError } from "../git/start/errors.ts"
import { transaction } from "../store/sql.ts"
import { followTask } from "../workspaces/follow-task.ts"
import { findKept, forgetKept } from "../workspaces/keep-refs.ts"
import { rescueKept } from "../workspaces/rescue/rescue.ts"
import { recordRescued } from "../workspaces/rows/rescues.ts"
import {
  type TeardownContext,
  tearDownDisposable,
  teardownOf,
} from "../workspaces/setup/run-teardown.ts"
import type { MadeBranch, TornDown } from "../workspaces/workspace.ts"
import type { JobsContext } from "./context.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { findSharer } from "./rows/task-repos/list.ts"
import { recordRemoved } from "./rows/task-repos/removal.ts"
import { lookAfterStashesOf } from "./stashes.ts"

export type CleaningContext = Pick<
  JobsContext,
  | "db"
  | "world"
  | "home"
  | "workspaces"
  | "disposables"
  | "taskLock"
  | "findAgent"
  | "exchangeCommits"
> &
  TeardownContext

type How = {
  /** Why rescues are made: `its task was …`. */
  readonly reason: string
  /**
   * Why worktrees and branches must stay although nothing would be lost; undefined: remove them.
   */
  readonly objection: string | undefined
  /** Interrupts the clean-up; a later run repeats all of it. */
  readonly signal: AbortSignal
}

/** One repository of the task. Anything that the `safeCommits` contain needs no rescue. */
type Cleaning = {
  readonly context: CleaningContext
  readonly task: TaskId
  readonly repo: TaskRepo
  readonly reason: string
  readonly safeCommits: readonly Oid[]
  /** Runs before the recorded worktree is removed. */
  readonly before: (() => Promise<void>) | undefined
}

export type Cleaned = {
  /** One sentence for each thing that stays; empty if everything is gone. */
  readonly kept: readonly string[]
  /** The sentences of `kept` about worktrees that could not be removed. */
  readonly failed: readonly string[]
}

/** Call it with the task's lock, when no process of the task runs any more. */
export async function cleanTask(context: CleaningContext, found: Task, how: How): Promise<Cleaned> {
  const kept = [...(await takeCommits(context, found.id))]
  const failed: string[] = []
  const task = await follow(context, found)
  await lookAfterStashesOf(context, task)
  for (const repo of task.repos) {
    const cleaned = await cleanRepo(context, { task, repo, how })
    kept.push(...cleaned.kept)
    failed.push(...cleaned.failed)
  }
  return { kept, failed }
}

/**
 * A contained agent can make commits that git refuses. They stay where they are, and keep no task
 * from its end. @returns the sentences that name them.
 */
async function takeCommits(context: CleaningContext, id: TaskId): Promise<readonly string[]> {
  try {
    await context.exchangeCommits(id, { isEnd: true })
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "workspace.commits_untaken") throw error
    return [[error.message, ...error.hints].join(" ")]
  }
}

/**
 * If the repository is gone or broken, branches cannot be followed and the recorded names are used.
 */
async function follow({ db }: CleaningContext, task: Task): Promise<Task> {
  try {
    return await followTask(db, task)
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug" || isTransient(error)) throw error
    return task
  }
}

async function cleanRepo(
  context: CleaningContext,
  { task, repo, how }: { readonly task: Task; readonly repo: TaskRepo; readonly how: How },
): Promise<Cleaned> {
  const { path } = repo
  const { reason, objection, signal } = how
  // The folder is the user's and holds nothing of ours.
  if (task.strategy === "static") return { kept: [], failed: [] }
  const gone = `${path} is no longer a repository; what task ${task.id} left there stays as it is.`
  if (!(await isThere(path))) return { kept: [gone], failed: [] }
  const leave = (worktree: string) => tearDownDisposable(context, { task, repo, worktree, signal })
  await context.disposables.removeDisposable(path, task.id, leave)
  const upstream = await upstreamOf(path, repo.target)
  const safe = [
    await readCommit(path, branchRef(repo.target)),
    upstream && (await readCommit(path, upstream)),
    repo.base,
  ]
  const safeCommits = safe.filter((commit) => typeof commit === "string")
  const before = teardownOf(context, { task, repo, signal })
  const cleaning = { context, task: task.id, repo, reason, safeCommits, before }
  const isOurs = task.strategy !== null // otherwise the branch and worktree belong to the user
  const stays = { kept: isOurs && objection !== undefined ? [objection] : [], failed: [] }
  const isRemoved = isOurs && objection === undefined
  const cleaned = isRemoved ? await removeWorkspaces(cleaning) : stays
  await forgetLanding(cleaning)
  return cleaned
}

/** Whether the repository is still there; its folder may be gone or hold no repository now. */
async function isThere(path: string): Promise<boolean> {
  try {
    return (await findRepository(path))?.root === path
  } catch (error) {
    if (error instanceof FolderMissingError) return false
    throw error
  }
}

async function removeWorkspaces(cleaning: Cleaning): Promise<Cleaned> {
  const { context, task, repo, reason, safeCommits, before } = cleaning
  const { branch, worktree, placed, path } = repo
  const found = await context.workspaces.findWorkspaces(path, task)
  const unrecorded = found.filter((one) => one.worktree !== worktree)
  const all = [
    ...(branch && worktree ? [{ branch, worktree, placed, before }] : []),
    // Without a recorded worktree, set-up had not begun.
    ...unrecorded.map((one) => ({ ...one, placed: [], before: undefined })),
  ]
  const kept: string[] = []
  const failed: string[] = []
  for (const workspace of all) {
    const sharer = findSharer(context.db, { ...workspace, task, path })
    if (sharer !== undefined) {
      if (workspace.worktree === worktree) recordRemoved(context.db, { task, name: repo.name })
      kept.push(`${workspace.worktree} is kept: task ${sharer} works there as well.`)
      continue
    }
    const request = { ...workspace, task, repo: path, safeCommits, reason }
    const torn = await context.workspaces.teardown(request)
    record(cleaning, workspace.worktree, torn)
    if (torn.worktree === "kept" || torn.branch === "kept") kept.push(...torn.notices)
    if (torn.worktree === "kept") failed.push(...torn.notices)
  }
  if (branch === null && repo.made) kept.push(...(await removeLeft(cleaning, repo.made)))
  return { kept, failed }
}

/** The branch of a set-up that got no further. @returns why it is still there. */
async function removeLeft(cleaning: Cleaning, made: MadeBranch): Promise<readonly string[]> {
  const { context, task, repo, safeCommits, reason } = cleaning
  const left = { task, repo: repo.path, made, safeCommits, reason }
  const { rescued, notices } = await context.workspaces.removeLeftBranch(left)
  transaction(context.db, () => recordRescued(context, task, rescued))
  return notices
}

function record({ context, task, repo }: Cleaning, worktree: string, torn: TornDown): void {
  const { db } = context
  transaction(db, () => {
    recordRescued(context, task, torn.rescued)
    const isRecorded = worktree === repo.worktree
    if (isRecorded && torn.worktree === "removed")
      recordRemoved(db, { task, name: repo.name }, torn.branch)
  })
}

/** The snapshot is the agent's work. The candidate was made from it and can be made again. */
async function forgetLanding({
  context,
  task,
  repo,
  safeCommits,
  reason,
}: Cleaning): Promise<void> {
  const { path, branch } = repo
  const owner = { home: context.home, task }
  const head = await findKept(path, owner, "head")
  if (head) {
    const tip = branch === null ? undefined : await readCommit(path, branchRef(branch))
    const safe = tip ? [...safeCommits, tip] : safeCommits
    recordRescued(context, task, [
      await rescueKept(path, head, { owner, safeCommits: safe, reason }),
    ])
  }
  await forgetKept(path, owner)
}
