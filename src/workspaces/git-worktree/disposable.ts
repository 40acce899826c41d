/**
 * Adds and removes the detached worktrees that landings use for a moment.
 *
 * One is told by its name, which holds the task and the home: other homes may land in the same
 * repository. git makes its own folder for a worktree first and drops it last, so what is left of a
 * try that was killed at any instant is found there, under that name.
 */
import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { fnv1a } from "../../core/hash.ts"
import type { TaskId } from "../../core/ids.ts"
import { disableSparse } from "../../git/index/sparse.ts"
import { readCheckoutConfig } from "../../git/index/true-modes.ts"
import { findRepository } from "../../git/repository/repository.ts"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { commonDirOf, findGitDir } from "../../git/worktrees/git-dir.ts"
import { addDetached } from "../../git/worktrees/worktree-add.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { isWorktreeOf } from "../../git/worktrees/worktree-of.ts"
import { removeWorktree } from "../../git/worktrees/worktree-remove.ts"
import type { DisposableRequest, DisposableWorktree } from "../disposable.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { madeFolder } from "./add.ts"
import { readRepository, type WorktreeContext } from "./context.ts"
import { excludeFolder } from "./exclude.ts"
import { endFilling, fillWorktree, isUnfilled, markUnfilled } from "./fill.ts"
import { placeInto } from "./place-into.ts"

/** @throws {WorkspaceError} (user), {GitError} (world); what was made by then is there to remove. */
export async function addDisposableWorktree(
  context: WorktreeContext,
  request: DisposableRequest,
): Promise<DisposableWorktree> {
  const { repo, task, commit, signal } = request
  const repository = await readRepository(repo)
  const folder = worktreesFolder(request)
  const name = nameOf(context, repo, task)
  const path = join(await madeFolder(folder), name)
  const checkout = await readCheckoutConfig(repo)
  const addIt = async () => {
    await excludeFolder(repository, folder)
    await clear(context, { repo, commonDir: repository.commonDir, name, path })
    await addDetached(repo, { path, commit })
    markUnfilled(await gitDir(path))
    await disableSparse(path, checkout)
  }
  await withRepoLock(repository.commonDir, addIt, signal)
  await fillWorktree(path, commit, { checkout, signal })
  const { notices } = await placeInto(path, repository, request)
  return { worktree: path, notices }
}

type ToRemove = {
  readonly repo: string
  readonly task: TaskId
  before(worktree: string): Promise<void>
}

export async function removeDisposableWorktree(
  context: WorktreeContext,
  { repo, task, before }: ToRemove,
): Promise<void> {
  const dir = findGitDir(repo)
  const commonDir = dir === undefined ? (await findRepository(repo))?.commonDir : commonDirOf(dir)
  if (commonDir === undefined) return // the repository is gone, and it with it
  const name = nameOf(context, repo, task)
  if ((await listLeft(commonDir, name)).length === 0) return
  for (const { path, gitDir } of await listWorktrees(repo))
    if (basename(path) === name && gitDir && !isUnfilled(gitDir) && existsSync(path))
      if (await isWorktreeOf(path, repo)) await before(path)
  await withRepoLock(commonDir, () => clear(context, { repo, commonDir, name }))
}

/** The task for which this home made a worktree of that name; undefined of any other. */
export function taskOfDisposable(home: string, repo: string, name: string): TaskId | undefined {
  const task = Number(/^landing-(\d+)-/.exec(name)?.[1]) as TaskId
  return name === nameOf({ home }, repo, task) ? task : undefined
}

/** The same for every try of the task; of no other home, task or repository. */
function nameOf({ home }: Pick<WorktreeContext, "home">, repo: string, task: TaskId): string {
  return `landing-${task}-${fnv1a(`${home}\0${repo}`).slice(0, 8)}`
}

type Left = {
  readonly repo: string
  readonly commonDir: string
  readonly name: string
  /** Where a new one is to be. */
  readonly path?: string
}

/** Under the repository's lock: whoever was adding or removing one is dead. */
async function clear(
  context: WorktreeContext,
  { repo, commonDir, name, path }: Left,
): Promise<void> {
  const known = (await listWorktrees(repo)).filter((one) => basename(one.path) === name)
  for (const { gitDir } of known) if (gitDir) await endFilling(gitDir)
  const paths = new Set([...known.map((one) => one.path), ...(path ? [path] : [])])
  for (const left of paths) {
    if (!existsSync(left) && !known.some((one) => one.path === left)) continue
    const { deleted } = await removeWorktree(repo, left, context.deleting)
    context.inBackground(deleted)
  }
  // Git was killed before it wrote down where the worktree is to be: it does not know of this one.
  for (const id of await listLeft(commonDir, name))
    await rm(join(commonDir, "worktrees", id), { recursive: true, force: true })
}

/** Git's own folders of worktrees of this name; it appends a number where a name is taken. */
async function listLeft(commonDir: string, name: string): Promise<string[]> {
  const ids = await readdir(join(commonDir, "worktrees")).catch(() => []) // none: no folder
  return ids.filter((id) => id.startsWith(name) && /^\d*$/.test(id.slice(name.length)))
}
