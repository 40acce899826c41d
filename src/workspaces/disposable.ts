/**
 * A disposable worktree stands detached at one commit, for a landing that needs files on disk.
 *
 * A task has at most one in each repository, always at the same path, so that whatever a crash left
 * is found there and cleared away. Nothing in it is anybody's work: it is removed unsaved.
 */
import type { Oid, TaskId } from "../core/ids.ts"

export interface DisposableWorktrees {
  /** Adds one, in place of what an earlier try left. Whoever adds it removes it. */
  addDisposable(request: DisposableRequest): Promise<DisposableWorktree>
  /**
   * Removes the task's, whole or half made, where there is one. Safe to repeat.
   *
   * @param before called with its path, where there is a whole one; nothing goes when it rejects.
   */
  removeDisposable(
    repo: string,
    task: TaskId,
    before: (worktree: string) => Promise<void>,
  ): Promise<void>
}

export type DisposableRequest = {
  readonly task: TaskId
  /** Main worktree (or bare directory) of the repository. */
  readonly repo: string
  readonly repoName: string
  /** Worktrees folder, absolute, or relative to the repository; may hold `<repo>`. */
  readonly worktreeDir: string
  /** Where it stands. */
  readonly commit: Oid
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** Ends waiting for others; adding then rejects with the signal's reason. */
  readonly signal: AbortSignal
}

export type DisposableWorktree = {
  readonly worktree: string
  /** Things that a person may want to know, one sentence each. */
  readonly notices: readonly string[]
}
