/** Makes room for a commit in a worktree: saves and removes what git would overwrite unasked. */
import { lstat, rm } from "node:fs/promises"
import type { GitPath, Oid, TaskId } from "../core/ids.ts"
import { type Change, listChanges } from "../git/diff-tree.ts"
import { listOthers } from "../git/ls-others.ts"
import { joinBytes, parentsOf } from "../git/path.ts"
import { type Rescue, rescueWorktree } from "./rescue.ts"

type Move = { readonly task: TaskId; readonly from: Oid; readonly to: Oid }

/**
 * Ignored files, and folders of them, lie where `to` adds a path: git replaces those without a
 * word. They are rescued, then removed. Everything else git itself refuses to overwrite.
 *
 * @returns the rescue, when something was in the way.
 */
export async function clearCollisions(
  worktree: string,
  { task, from, to }: Move,
): Promise<Rescue | undefined> {
  const ignored = await findUntrackedAt(worktree, await listChanges(worktree, from, to))
  if (ignored.length === 0) return undefined
  const reason = "bringing the worktree to its candidate"
  const rescued = await rescueWorktree(worktree, {
    task,
    contained: [from],
    placed: [],
    ignored,
    reason,
  })
  for (const path of ignored) await rm(joinBytes(worktree, path), { recursive: true, force: true })
  return rescued
}

/** Untracked and ignored files that lie where a path is added, or where its parent folder must be. */
export async function findUntrackedAt(
  worktree: string,
  changes: readonly Change[],
): Promise<GitPath[]> {
  const added = new Set(
    changes.filter(({ status }) => status === "A" || status === "T").map(({ path }) => path),
  )
  const places = new Set([...added].flatMap((path) => [path, ...parentsOf(path)]))
  const taken: GitPath[] = []
  for (const path of places) {
    const stat = await lstat(joinBytes(worktree, path)).catch(() => undefined) // absent: free
    if (stat && (added.has(path) || !stat.isDirectory())) taken.push(path)
  }
  return taken.length === 0 ? [] : listOthers(worktree, taken)
}
