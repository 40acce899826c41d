/**
 * Gives every task a git worktree and a branch of its own.
 *
 * Invariants: a path or branch that is not the task's is never touched. Only work that is
 * contained elsewhere or saved is removed. A set-up that was cut off at any instant can be repeated
 * with the same result. The store records a worktree only when it is complete.
 */

import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../store/open.ts"
import type { DisposableRequest, DisposableWorktree, DisposableWorktrees } from "./disposable.ts"
import { addDisposableWorktree, removeDisposableWorktree } from "./git-worktree/disposable.ts"
import { findTaskWorktrees } from "./git-worktree/find-task-worktrees.ts"
import { removeLeftBranch } from "./git-worktree/left-branch.ts"
import { tearDownWorktree } from "./git-worktree/teardown.ts"
import { readRepository } from "./git-worktree/worktree-context.ts"
import { sweepTrash } from "./removal.ts"
import { forgetWorktree } from "./rows/worktrees.ts"
import { type SetUpContext, setUpWorktree } from "./set-up-worktree.ts"
import type {
  BranchWorkspace,
  FoundWorkspace,
  LeftBranch,
  RecordedWorkspace,
  TornDown,
  WorkspaceRequest,
  WorkspaceStrategy,
  WorkspaceToRemove,
} from "./workspace.ts"
import type { WorktreePool } from "./worktree-pool.ts"

/** Longer than a gc or a packing of refs holds a lock. The lock of a killed git stays longer. */
const LOCKED_MS_MAX = 5_000
/** Enough to delete most worktrees; the rest is left to the next start. */
const SETTLE_MS_MAX = 5_000

type GitWorktreeOptions = {
  readonly home: string
  readonly db: Db
  readonly pool?: WorktreePool
  readonly lockedMsMax?: number
}

export class GitWorktreeStrategy implements WorkspaceStrategy, DisposableWorktrees {
  readonly name = "git_worktree"
  readonly #context: SetUpContext
  readonly #background = new Set<Promise<unknown>>()
  readonly #leaving = new Set<string>()
  readonly #deleting = new AbortController()

  /**
   * @param home the home's permanent name; its refs carry it.
   * @param db knows which worktrees this home made.
   * @param pool makes worktrees ahead; undefined: each is made when its task begins.
   * @param lockedMsMax how long to wait for a lock on a branch to delete.
   */
  constructor({ home, db, pool, lockedMsMax = LOCKED_MS_MAX }: GitWorktreeOptions) {
    const { signal: deleting } = this.#deleting
    this.#context = {
      home,
      db,
      lockedMsMax,
      deleting,
      inBackground: (work) => this.#track(work),
      pool,
    }
  }

  /** Deletes what an earlier process was deleting when it died. */
  sweep(): void {
    this.#track(sweepTrash(this.#context))
  }

  async setup(request: WorkspaceRequest): Promise<BranchWorkspace> {
    const workspace = await setUpWorktree(this.#context, request)
    if (request.pooled && workspace.fresh) this.tendPools()
    return workspace
  }

  async leavePool(workspace: RecordedWorkspace): Promise<void> {
    await this.#context.pool?.leave(workspace)
  }

  disown(worktree: string): void {
    this.#context.pool?.forget(worktree)
    forgetWorktree(this.#context.db, worktree)
  }

  /** Starts bringing all pools to their configuration, in the background. */
  tendPools(): void {
    const { pool } = this.#context
    if (pool) this.#track(pool.tend(this.#context))
  }

  /** Settles when the pools match their configuration as far as possible. */
  async poolsTended(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background)
    await this.#context.pool?.idle()
  }

  async teardown(workspace: WorkspaceToRemove): Promise<TornDown> {
    this.#leaving.add(workspace.worktree)
    try {
      return await tearDownWorktree(this.#context, workspace)
    } finally {
      this.#leaving.delete(workspace.worktree)
    }
  }

  /** Whether this worktree is being torn down now. */
  isLeaving(worktree: string): boolean {
    return this.#leaving.has(worktree)
  }

  async findWorkspaces(repo: string, task: TaskId): Promise<readonly FoundWorkspace[]> {
    return findTaskWorktrees(this.#context.db, await readRepository(repo), task)
  }

  async removeLeftBranch(left: LeftBranch): Promise<Pick<TornDown, "rescued" | "notices">> {
    return await removeLeftBranch(this.#context, left)
  }

  async addDisposable(request: DisposableRequest): Promise<DisposableWorktree> {
    return await addDisposableWorktree(this.#context, request)
  }

  async removeDisposable(
    repo: string,
    task: TaskId,
    before: (worktree: string) => Promise<void>,
  ): Promise<void> {
    await removeDisposableWorktree(this.#context, { repo, task, before })
  }

  /**
   * Settles when the files of all removed worktrees are deleted. After `waitMsMax` deleting stops
   * for good: the next process deletes the rest.
   */
  async settled(waitMsMax = SETTLE_MS_MAX): Promise<void> {
    await this.#context.pool?.close()
    const clock = setTimeout(() => this.#deleting.abort(), waitMsMax)
    while (this.#background.size > 0) await Promise.all(this.#background)
    clearTimeout(clock)
  }

  #track(work: Promise<unknown>): void {
    this.#background.add(work)
    void work.finally(() => this.#background.delete(work))
  }
}
