/** A task's share of its worktrees: no landing locks them as long as the task holds it. */

import type { WorktreeLease } from "../workspaces/locks/worktree-lock.ts"
import type { JobsContext } from "./context.ts"
import type { Task } from "./rows/row.ts"

type Locks = Pick<JobsContext, "taskLock" | "world">

export class SharedWorktrees implements Disposable {
  readonly #locks: Locks
  readonly #task: Pick<Task, "id" | "repos">
  readonly #signal: AbortSignal
  #lease: WorktreeLease | undefined

  /** @param signal ends the wait for a landing that has them locked. */
  constructor(locks: Locks, task: Pick<Task, "id" | "repos">, signal: AbortSignal) {
    this.#locks = locks
    this.#task = task
    this.#signal = signal
  }

  /** @throws {Error} the reason of the signal when it aborts first. */
  async share(): Promise<void> {
    const { taskLock, world } = this.#locks
    const { id: task, repos } = this.#task
    const worktrees = repos.flatMap(({ worktree }) => worktree ?? [])
    const by = { task, sinceMs: world.nowMs(), signal: this.#signal }
    this.#lease = await taskLock.worktrees.share(worktrees, by)
  }

  /** Without it a landing may be at work in the worktrees. */
  get isShared(): boolean {
    return this.#lease !== undefined
  }

  release(): void {
    this.#lease?.release()
    this.#lease = undefined
  }

  [Symbol.dispose](): void {
    this.release()
  }
}
