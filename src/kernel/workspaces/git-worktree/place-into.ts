/** Places the files of `copy`, `link` and `.worktreeinclude` in a worktree. */
import { realpath } from "node:fs/promises"
import type { Repository } from "../../git/ask/repository.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { type Placed, placeFiles } from "./place-files.ts"

type Request = Pick<
  WorkspaceRequest,
  "copy" | "link" | "isContained" | "repo" | "repoName" | "worktreeDir" | "signal"
>

export async function placeInto(
  worktree: string,
  repository: Repository,
  request: Request,
): Promise<Placed> {
  const { copy, link, isContained, signal } = request
  if (repository.bare) {
    const isAsked = copy.length + link.length > 0
    const notices = isAsked ? ["copy and link find nothing: the repository is a bare one."] : []
    return { placed: [], copied: [], linked: [], copiedEntries: 0, notices }
  }
  return await placeFiles({
    from: repository.root,
    to: await realpath(worktree),
    worktrees: worktreesFolder(request),
    copy,
    link,
    isContained,
    signal,
  })
}
