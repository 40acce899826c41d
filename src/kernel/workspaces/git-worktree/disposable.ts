/**
 * Adds and removes the detached worktrees that landings use briefly.
 *
 * The store records each before it is made, so leftovers of a killed try are found there. Its name
 * holds the task and the home, because other homes may land in the same repository.
 */

import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import type { TaskId } from "../../../base/ids.ts"
import { fnv1a } from "../../../base/text/hash.ts"
import { listLinked } from "../../git/ask/linked-worktrees.ts"
import { findRepository, type Repository } from "../../git/ask/repository.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { readCheckoutConfig } from "../../git/ask/true-modes.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { addDetached, disableSparse } from "../../git/change/worktree-add.ts"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import type { DisposableRequest, DisposableWorktree } from "../disposable.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { removeOwnWorktree } from "../removal.ts"
import { listOwnWorktrees, recordWorktree } from "../rows/worktrees.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { endFilling, fillWorktree, isUnfilled, markUnfilled } from "./fill-worktree.ts"
import { taken } from "./free-path.ts"
import { madeFolder } from "./made-folder.ts"
import { placeInto } from "./place-into.ts"
import { readRepository, type WorktreeContext } from "./worktree-context.ts"

/**
 * @throws {WorkspaceError} (user), {GitError} (world); the caller must remove what was made by
 *   then.
 */
export async function addDisposableWorktree(
  context: WorktreeContext,
  request: DisposableRequest,
): Promise<DisposableWorktree> {
  const { repo, task, commit, signal } = request
  const repository = await readRepository(repo)
  const folder = await madeFolder(worktreesFolder(request), repository.root)
  const path = join(folder, nameOf(context, repo, task))
  const checkout = await readCheckoutConfig(repo)
  const addIt = async () => {
    await clear(context, repository, task)
    if (existsSync(path)) throw taken(path)
    recordWorktree(context.db, { path, repo, purpose: "gate", task, branch: null })
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
  const own = listDisposables(context, repo, task)
  if (own.length === 0) return
  const dir = findGitDir(repo)
  const commonDir = dir === undefined ? (await findRepository(repo))?.commonDir : commonDirOf(dir)
  if (commonDir === undefined) return // the repository is gone, and the worktree with it
  for (const { path } of own) {
    const gitDir = findGitDir(path)
    if (gitDir && !isUnfilled(gitDir) && (await isWorktreeOf(path, repo))) await before(path)
  }
  await withRepoLock(commonDir, () => clear(context, { root: repo, commonDir }, task))
}

const listDisposables = ({ db }: WorktreeContext, repo: string, task: TaskId) =>
  listOwnWorktrees(db, repo).filter((one) => one.purpose === "gate" && one.task === task)

/** The same for every try of the task, and unique among homes, tasks and repositories. */
function nameOf({ home }: Pick<WorktreeContext, "home">, repo: string, task: TaskId): string {
  return `landing-${task}-${fnv1a(`${home}\0${repo}`).slice(0, 8)}`
}

/** Call it under the repository's lock, so that no live process is adding or removing one. */
async function clear(
  context: WorktreeContext,
  repository: Pick<Repository, "root" | "commonDir">,
  task: TaskId,
): Promise<void> {
  const { commonDir } = repository
  for (const { path } of listDisposables(context, repository.root, task)) {
    for (const entry of listLinked(commonDir))
      if (entry.path === path) await endFilling(entry.gitDir)
    const stays = await removeOwnWorktree(context, repository, path)
    if (stays !== undefined) throw taken(path)
    await removeNamelessEntries(commonDir, basename(path))
  }
}

/**
 * Removes entries that git began and was killed before it wrote their path: `git worktree list`
 * omits them, and they hold no work.
 */
async function removeNamelessEntries(commonDir: string, name: string): Promise<void> {
  const folder = join(commonDir, "worktrees")
  const ids = await readdir(folder).catch(() => []) // none: no folder
  const own = ids.filter((id) => id.startsWith(name) && /^\d*$/.test(id.slice(name.length)))
  for (const id of own)
    if (!existsSync(join(folder, id, "gitdir"))) await rm(join(folder, id), { recursive: true })
}
