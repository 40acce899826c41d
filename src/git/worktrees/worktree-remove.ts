/** `git worktree remove`: a linked worktree's folder and what git knows of it. */
import { git } from "../exec.ts"
import { type Deletion, deleteTrash, moveToTrash } from "./trash.ts"
import { listWorktrees } from "./worktree-list.ts"

export type WorktreeRemoved = {
  /** Settles when the folder's content is deleted too; never rejects. */
  readonly deleted: Promise<Deletion>
}

/**
 * Removes a worktree with everything in it, also a locked or half-made one. When this returns the
 * path is free again; deleting what was in the folder goes on behind. Safe to repeat.
 *
 * Looks at nothing: whoever calls has saved what must not be lost, and holds the repository's lock.
 *
 * @param cwd outside that worktree.
 * @param signal stops the deleting behind; the rest is trash to whoever comes next.
 * @throws {FolderStaysError} nothing has changed then.
 */
export async function removeWorktree(
  cwd: string,
  path: string,
  signal?: AbortSignal,
): Promise<WorktreeRemoved> {
  const trash = await moveToTrash(path)
  const args = ["worktree", "remove", "--force", "--force", "--", path]
  const { exitCode } = await git(cwd, args, { answers: [0, 128] })
  if (exitCode !== 0 && (await isKnown(cwd, path))) await git(cwd, args)
  return { deleted: trash ? deleteTrash(trash, signal) : Promise.resolve({ kind: "deleted" }) }
}

/** Git refuses what it does not know, e.g. when it was removed before. */
async function isKnown(cwd: string, path: string): Promise<boolean> {
  return (await listWorktrees(cwd)).some((worktree) => worktree.path === path)
}
