/** Sets up a task's worktree: the one that is there, or a new one, with the files it needs. */
import { existsSync } from "node:fs"
import type { Repository } from "../git/ask/repository.ts"
import { listWorktrees } from "../git/ask/worktree-list.ts"
import { type AddedWorktree, addTaskWorktree } from "./git-worktree/add-worktree.ts"
import { readFreshBase } from "./git-worktree/fresh-base.ts"
import { placeInto } from "./git-worktree/place-into.ts"
import { readRepository, type WorktreeContext } from "./git-worktree/worktree-context.ts"
import { isMadeHere } from "./made-here.ts"
import type { BranchWorkspace, WorkspaceRequest } from "./workspace.ts"
import type { WorktreePool } from "./worktree-pool.ts"

/** `pool` is undefined if no worktree is made ahead. */
export type SetUpContext = WorktreeContext & { readonly pool: WorktreePool | undefined }

export async function setUpWorktree(
  context: SetUpContext,
  request: WorkspaceRequest,
): Promise<BranchWorkspace> {
  const repository = await readRepository(request.repo)
  const standing = await findStanding(repository, request)
  const workspace = standing ?? (await setUpFresh(context, repository, request))
  const files = await placeInto(workspace.worktree, repository, request)
  return {
    ...workspace,
    fresh: standing === undefined,
    placed: files.placed,
    copied: files.copied,
    linked: files.linked,
    copiedEntries: files.copiedEntries,
    notices: [...workspace.notices, ...files.notices],
  }
}

async function setUpFresh(
  context: SetUpContext,
  repository: Repository,
  request: WorkspaceRequest,
): Promise<AddedWorktree> {
  const base = await readFreshBase(repository, request)
  return (
    (await context.pool?.claim({ repository, request, base })) ??
    (await addTaskWorktree(context, repository, request, base))
  )
}

/** The worktree recorded by an earlier set-up, if it still exists. It is reused as it is. */
async function findStanding(
  { root }: Repository,
  { earlier }: WorkspaceRequest,
): Promise<AddedWorktree | undefined> {
  if (!earlier?.worktree) return undefined
  const worktrees = await listWorktrees(root)
  const found = worktrees.find(({ path, prunable }) => path === earlier.worktree && !prunable)
  // A set-up that was repeated after a removal may itself have been cut short.
  const isWhole = found && found.locked !== "initializing" && existsSync(earlier.worktree)
  const { worktree, branch, base } = { ...earlier, worktree: earlier.worktree }
  if (!isWhole || !found.gitDir || !isMadeHere(found.gitDir, { path: worktree, branch }))
    return undefined
  return { worktree, branch, base, notices: [] }
}
