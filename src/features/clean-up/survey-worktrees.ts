/**
 * Lists the worktrees of a repository that this home made, by its own records, and their state.
 *
 * Everything else is a person's or another home's, and is not even listed.
 */

import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { branchOf } from "../../base/ids.ts"
import { listWorktrees } from "../../kernel/git/ask/worktree-list.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listOwnWorktrees, type OwnWorktree } from "../../kernel/workspaces/rows/worktrees.ts"

export type SurveyedWorktree = Omit<OwnWorktree, "branch"> & {
  /** Git's own folder of it; undefined if git does not know it (any more). */
  readonly gitDir: string | undefined
  /** The branch that is checked out; undefined when detached. */
  readonly branch: string | undefined
  /** The branch that we made for it. */
  readonly ownBranch: string | undefined
  readonly folder: "there" | "gone" | "unmounted"
}

/** @param repo main worktree, or bare directory. */
export async function surveyWorktrees(db: Db, repo: string): Promise<SurveyedWorktree[]> {
  const [, ...linked] = await listWorktrees(repo)
  const known = new Map(linked.map((worktree) => [worktree.path, worktree]))
  return listOwnWorktrees(db, repo).map((own) => {
    const { branch, gitDir } = known.get(own.path) ?? {}
    return {
      ...own,
      gitDir,
      ownBranch: own.branch ?? undefined,
      branch: branch && branchOf(branch),
      folder: folderOf(own.path),
    }
  })
}

/** If the parent folder is missing too, a disk may be unmounted. */
function folderOf(path: string): SurveyedWorktree["folder"] {
  if (existsSync(path)) return "there"
  return existsSync(dirname(path)) ? "gone" : "unmounted"
}
