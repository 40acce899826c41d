/**
 * Finds files that a person or an editor left in a worktree of a pool, and removes them after
 * saving.
 *
 * No task has had the worktree, so every difference from its commit is a stray, except files made
 * by set-up (setup/made-by-set-up.ts). A stray must never land with the work of the next task.
 */
import { lstatSync } from "node:fs"
import { join } from "node:path"
import type { GitPath, Oid } from "../../base/ids.ts"
import { gitDir } from "../../kernel/git/ask/rev-parse.ts"
import { readStatus } from "../../kernel/git/ask/status.ts"
import { resetTree } from "../../kernel/git/change/read-tree.ts"
import { IndexLockedError } from "../../kernel/git/start/errors.ts"
import { displayPath, joinBytes } from "../../kernel/git/start/git-path.ts"
import { WorkspaceError } from "../../kernel/workspaces/errors.ts"
import { type Rescue, rescueWorktree } from "../../kernel/workspaces/rescue/rescue.ts"
import { deleteEntry } from "../../kernel/workspaces/trash.ts"

export type Strays = {
  /** Files that differ from the commit, or are untracked. */
  readonly paths: readonly GitPath[]
  readonly untracked: readonly GitPath[]
}

export async function findStrays(worktree: string): Promise<Strays> {
  const { staged, unstaged, unmerged, untracked } = await readStatus(worktree)
  return { paths: [...new Set([...staged, ...unstaged, ...unmerged, ...untracked])], untracked }
}

/** Whether there is a file that an incomplete checkout cannot have left. */
export async function hasFiles(worktree: string): Promise<boolean> {
  const { paths } = await findStrays(worktree)
  const isThere = (path: GitPath) =>
    lstatSync(joinBytes(worktree, path), { throwIfNoEntry: false }) !== undefined
  return paths.some(isThere)
}

/**
 * Saves the strays under a rescue ref and restores the worktree to its commit.
 *
 * @returns undefined if there are none.
 * @throws {WorkspaceError} `workspace.holds_repositories` (world): a rescue does not save those.
 */
export async function clearStrays(
  worktree: string,
  { home, head }: { readonly home: string; readonly head: Oid },
): Promise<Rescue | undefined> {
  const { paths, untracked } = await findStrays(worktree)
  if (paths.length === 0) return undefined
  const nested = untracked.filter((path) => path.endsWith("/")).map(displayPath)
  if (nested.length > 0)
    throw new WorkspaceError(
      "workspace.holds_repositories",
      `${worktree} was made for this task, and there are repositories in it: ${nested.join(", ")}.`,
      ["Move them out of the worktree, then `coppice restart` the task."],
    )
  const owner = { home, task: "pool" } as const
  const reason = "its pool gave the worktree to a task"
  const rescue = await rescueWorktree(worktree, { owner, safeCommits: [head], placed: [], reason })
  if ((await resetTree(worktree, head)).kind === "locked")
    throw new IndexLockedError(join(await gitDir(worktree), "index.lock"))
  for (const path of untracked) await deleteEntry(joinBytes(worktree, path))
  return rescue
}
