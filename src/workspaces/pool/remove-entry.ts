/** Removes an idle worktree of a pool, whole or half made, and then its row. */
import { readdir } from "node:fs/promises"
import type { Repository } from "../../git/repository/repository.ts"
import { listWorktrees, type Worktree } from "../../git/worktrees/worktree-list.ts"
import { removeWorktree } from "../../git/worktrees/worktree-remove.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { endFilling } from "../git-worktree/fill.ts"
import { readOwner } from "../git-worktree/ownership.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { forgetPath } from "./forget-path.ts"
import type { Pool } from "./pool.ts"

/**
 * What is not the pool's any more, because somebody took the place, stays as it is.
 *
 * @param entry that nobody can claim: `filling`.
 */
export async function removeEntry(
  context: WorktreeContext,
  { db }: Pool,
  { root, commonDir }: Repository,
  { path }: PoolEntry,
): Promise<void> {
  await withRepoLock(commonDir, async () => {
    const known = (await listWorktrees(root)).find((worktree) => worktree.path === path)
    if (!known || !(await isOurs(context, known))) return
    if (known.gitDir) await endFilling(known.gitDir)
    const { deleted } = await removeWorktree(root, path, context.deleting)
    context.inBackground(deleted)
  })
  forgetPath(db, path)
}

/** Marked as the pool's; or git was stopped before there was a mark, or anything else in it. */
async function isOurs(
  { home }: WorktreeContext,
  { gitDir, locked, path }: Worktree,
): Promise<boolean> {
  if (locked !== undefined && locked !== "initializing") return false
  const owner = gitDir === undefined ? undefined : readOwner(gitDir)
  if (owner) return owner.home === home && owner.task === null
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : ["."],
  )
  return names.every((name) => name === ".git")
}
