/** Places the files of `copy` and `link` in a fresh worktree. */
import { realpath } from "node:fs/promises"
import type { Repository } from "../../git/repository.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { type Placed, placeFiles } from "./place.ts"

type Request = Pick<WorkspaceRequest, "copy" | "link" | "repo" | "repoName" | "worktreeDir">

export async function placeInto(
  worktree: string,
  repository: Repository,
  request: Request,
): Promise<Placed> {
  const { copy, link } = request
  if (copy.length + link.length === 0) return { placed: [], notices: [] }
  if (repository.bare)
    return { placed: [], notices: ["copy and link find nothing: the repository is a bare one."] }
  return await placeFiles({
    from: repository.root,
    to: await realpath(worktree),
    worktrees: worktreesFolder(request),
    copy,
    link,
  })
}
