/** Worktrees of this home that no task has: those of pools, and those that a pool has lost. */
import { branchOf } from "../../core/ids.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { removeWorktree } from "../../git/worktrees/worktree-remove.ts"
import { readRepository } from "../git-worktree/context.ts"
import { endFilling } from "../git-worktree/fill.ts"
import { readOwner } from "../git-worktree/ownership.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { folderOf, type SurveyedWorktree, type SurveyRequest } from "./survey.ts"

export type IdleWorktree = Omit<SurveyedWorktree, "task" | "kind">

export async function surveyIdle({
  home,
  repo,
}: Pick<SurveyRequest, "home" | "repo">): Promise<IdleWorktree[]> {
  const [, ...linked] = await listWorktrees(repo)
  const found: IdleWorktree[] = []
  for (const { gitDir, path, head, branch } of linked) {
    if (gitDir === undefined || !(await isIdle(home, gitDir))) continue
    const place = { repo, path, gitDir, head, folder: folderOf(path), ownBranch: undefined }
    found.push({ ...place, branch: branch && branchOf(branch) })
  }
  return found
}

/** Looks at nothing: whoever calls has. @returns whether it is gone. */
export async function removeIdle(home: string, { repo, gitDir, path }: IdleWorktree) {
  const { commonDir } = await readRepository(repo)
  return await withRepoLock(commonDir, async () => {
    if (!(await isIdle(home, gitDir))) return false
    await endFilling(gitDir)
    const { deleted } = await removeWorktree(repo, path)
    await deleted
    return true
  })
}

async function isIdle(home: string, gitDir: string): Promise<boolean> {
  const owner = readOwner(gitDir)
  return owner?.home === home && owner.task === null
}
