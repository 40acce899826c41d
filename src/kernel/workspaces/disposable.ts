/**
 * A disposable worktree is detached at one commit, for a landing that needs files on disk.
 *
 * A task has at most one per repository, always at the same path, so that a crash's leftovers are
 * found there and cleared. It never holds work and is removed unsaved.
 */
import type { Oid, TaskId } from "../../base/ids.ts"

export interface DisposableWorktrees {
  /** Adds one, replacing what an earlier try left. The caller removes it. */
  addDisposable(request: DisposableRequest): Promise<DisposableWorktree>
  /**
   * Removes the task's disposable worktree, whole or half made. Safe to repeat.
   *
   * @param before called with its path, if there is a whole one; nothing is removed if it rejects.
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
  readonly commit: Oid
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** The task's agent is contained, so an agent may have landed `.worktreeinclude`: it brings nothing. */
  readonly isContained: boolean
  /** Ends the wait for others; adding then rejects with the signal's reason. */
  readonly signal: AbortSignal
}

export type DisposableWorktree = {
  readonly worktree: string
  /** Remarks for a person, one sentence each. */
  readonly notices: readonly string[]
}
