/**
 * The only code that removes a worktree.
 *
 * A folder is removed only if it is Coppice's. The store recorded it before it was made, its `.git`
 * file still names git's own folder of that very worktree, and Coppice's `coppice-made-here` file is
 * in that folder. The repository's own files prove nothing, because agents write there. So the user's
 * checkout, a person's worktree, and a folder around either are never renamed. This file does not
 * check what the worktree holds: `git-worktree/teardown.ts` saves it first.
 *
 *   record the trash's name ► rename ► `git worktree remove` ► forget the worktree ► delete later
 *
 * @see docs/adr/0050-the-store-says-which-worktrees-are-ours.md
 */

import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { listLinked } from "../git/ask/linked-worktrees.ts"
import type { Repository } from "../git/ask/repository.ts"
import { isRootOf } from "../git/ask/worktree-of.ts"
import { removeWorktree } from "../git/change/worktree-remove.ts"
import { commonDirOf, findGitDir } from "../git/start/git-dir.ts"
import { findPlain } from "../process/plain-file.ts"
import type { Db } from "../store/open.ts"
import { isMadeHere } from "./made-here.ts"
import { addTrash, listTrash, removeTrash } from "./rows/trash.ts"
import { findOwnWorktree, forgetWorktree, type OwnWorktree } from "./rows/worktrees.ts"
import {
  deleteTrash,
  FolderStaysError,
  moveToTrash,
  type TrashDeletion,
  trashName,
} from "./trash.ts"

export type RemovalContext = {
  readonly db: Db
  /** Aborts when there is no time left for deleting; the next start deletes the rest. */
  readonly deleting: AbortSignal
  /** Runs `work` in the background; it must not reject. */
  inBackground(work: Promise<unknown>): void
}

type Place = Pick<Repository, "root" | "commonDir">

/**
 * Removes a worktree of ours with everything in it, even a locked or half-made one. Safe to repeat.
 * Call it under the repository's lock.
 *
 * @returns one sentence why it stays untouched; undefined when it is gone.
 */
export async function removeOwnWorktree(
  { db, deleting, inBackground }: RemovalContext,
  repository: Place,
  path: string,
): Promise<string | undefined> {
  if (!findOwnWorktree(db, path) && !existsSync(path)) return undefined // removed before
  const foreign = findForeign(db, repository, path)
  if (foreign !== undefined) return foreign
  const trash = trashName(path)
  addTrash(db, { path: trash, repo: repository.root })
  try {
    await moveToTrash(path, trash)
    await removeWorktree(repository.root, path)
  } catch (error) {
    if (!existsSync(trash)) removeTrash(db, trash)
    if (error instanceof FolderStaysError) return error.message
    throw error
  }
  forgetWorktree(db, path)
  inBackground(emptyTrash(db, trash, deleting))
  return undefined
}

/**
 * One sentence why the folder is not Coppice's to remove; undefined if it is, or does not exist.
 */
export function findForeign(db: Db, { root, commonDir }: Place, path: string): string | undefined {
  const own = findOwnWorktree(db, path)
  if (own?.repo !== root)
    return `${path} stays: Coppice has no record of having made it for ${root}.`
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  const isItself = found.isDirectory() && realpathSync.native(path) === path
  const isAround = [root, commonDir].some((inner) => `${inner}/`.startsWith(`${path}/`))
  // A program in a gate's worktree may remove its `.git` file; there is never work in it.
  const isRight = own.purpose === "gate" ? !isRepository(path) : isLinkedHere(commonDir, own)
  if (!isItself || isAround || !isRight)
    return `${path} stays: its \`.git\` file does not name the worktree that Coppice made there.`
  const inner = listLinked(commonDir).find((other) => other.path.startsWith(`${path}/`))
  if (!inner || !existsSync(join(inner.path, ".git"))) return undefined
  return `${path} stays: it holds another worktree (${inner.path}).`
}

const isRepository = (path: string): boolean =>
  lstatSync(join(path, ".git"), { throwIfNoEntry: false })?.isDirectory() === true

/** Whether git was killed while it began to add the worktree at the folder, which has no files yet. */
export function isAddCutShort(path: string): boolean {
  if (readdirSync(path).some((name) => name !== ".git")) return false
  const gitDir = findGitDir(path)
  if (gitDir === undefined) return findPlain(join(path, ".git"))?.length === 0
  const isAdding = findPlain(join(gitDir, "locked"))?.toString().trim() === "initializing"
  const isIncomplete = isAdding || !existsSync(join(gitDir, "commondir"))
  return isIncomplete && !existsSync(join(gitDir, "index"))
}

/** Whether the folder is empty or only begun, or its `.git` file names a current or former linked worktree. */
function isLinkedHere(commonDir: string, own: OwnWorktree): boolean {
  const { path } = own
  if (readdirSync(path).length === 0) return true
  const gitDir = findGitDir(path)
  const isBegun = isAddCutShort(path)
  if (isBegun && gitDir === undefined) return true
  if (gitDir !== undefined && !isBegun) {
    const isHere = commonDirOf(gitDir) === commonDir && isRootOf(path, gitDir)
    return gitDir !== commonDir && isHere && isMadeHere(gitDir, own)
  }
  const named = /^gitdir: (.*[^\n])\n*$/s.exec(findPlain(join(path, ".git"))?.toString() ?? "")?.[1]
  if (named === undefined) return false
  return resolve(path, named).startsWith(`${join(commonDir, "worktrees")}/`)
}

/** Deletes what an earlier process was still deleting when it died. @returns when that is done. */
export async function sweepTrash(
  { db, deleting }: Pick<RemovalContext, "db" | "deleting">,
  repo?: string,
): Promise<void> {
  await Promise.all(listTrash(db, repo).map((path) => emptyTrash(db, path, deleting)))
}

/** @param trash recorded as trash. */
export async function emptyTrash(
  db: Db,
  trash: string,
  signal: AbortSignal,
): Promise<TrashDeletion> {
  const deletion = await deleteTrash(trash, signal)
  if (deletion.kind === "deleted" && db.open) removeTrash(db, trash)
  return deletion
}
