/**
 * Serialises, within the daemon, everything that touches one task's worktree, apart from its agent.
 */
import type { TaskId } from "../../../base/ids.ts"
import { WorktreeLock } from "./worktree-lock.ts"

export class TaskLock {
  /** Locks on worktrees that several tasks may share. */
  readonly worktrees = new WorktreeLock()
  readonly #last = new Map<TaskId, Promise<unknown>>()

  async hold<T>(task: TaskId, action: () => Promise<T>): Promise<T> {
    const before = this.#last.get(task) ?? Promise.resolve()
    const mine = before.then(action, action)
    this.#last.set(task, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(task) === mine) this.#last.delete(task)
    }
  }
}
