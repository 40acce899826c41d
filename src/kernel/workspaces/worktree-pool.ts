/** Worktrees that are made ahead of their tasks. A feature makes them; without it, a task begins with its worktree. */
import type { Repository } from "../git/ask/repository.ts"
import type { AddedWorktree } from "./git-worktree/add-worktree.ts"
import type { FreshBase } from "./git-worktree/fresh-base.ts"
import type { WorktreeContext } from "./git-worktree/worktree-context.ts"
import type { RecordedWorkspace, WorkspaceRequest } from "./workspace.ts"

export type WorktreePool = {
  /** Gives the task a worktree. @returns undefined if one has to be added. */
  claim(claim: WorktreeClaim): Promise<AddedWorktree | undefined>
  /** Takes a worktree out of the pool once its task has recorded it, before an agent starts in it. */
  leave(workspace: RecordedWorkspace): Promise<void>
  /** Forgets a worktree that stays, and belongs to the user from now on. */
  forget(worktree: string): void
  /** Starts bringing all pools to their configuration, in the background. Never rejects. */
  tend(context: WorktreeContext): Promise<void>
  /** Settles when nothing is under way. */
  idle(): Promise<void>
  /** Accepts no more work, and settles when the current work has stopped. */
  close(): Promise<void>
}

export type WorktreeClaim = {
  readonly repository: Repository
  readonly request: WorkspaceRequest
  readonly base: FreshBase
}
