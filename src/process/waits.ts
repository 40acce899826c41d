/**
 * What the work for a task waits for just now, so that a person can be told.
 *
 * Locks and the network are waited for deep inside, where nothing knows of tasks: the asynchronous
 * context says for which task it is.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { TaskId } from "../core/ids.ts"
import type { Step } from "../core/why.ts"

const current = new AsyncLocalStorage<Set<Step>>()

export class Waits {
  readonly #byTask = new Map<TaskId, Set<Step>>()

  /** Runs `work`, whose waits are the task's. */
  async during<T>(task: TaskId, work: () => Promise<T>): Promise<T> {
    const waits = this.#byTask.get(task) ?? new Set<Step>()
    this.#byTask.set(task, waits)
    try {
      return await current.run(waits, work)
    } finally {
      if (waits.size === 0) this.#byTask.delete(task)
    }
  }

  /** The innermost. */
  find(task: TaskId): Step | undefined {
    return [...(this.#byTask.get(task) ?? [])].at(-1)
  }
}

/** Says as long as `work` runs what the task waits for. Without a task it says nothing. */
export async function waitingFor<T>(
  wait: Omit<Step, "sinceMs">,
  work: () => Promise<T>,
): Promise<T> {
  const waits = current.getStore()
  if (!waits) return await work()
  const mine = { ...wait, sinceMs: Date.now() }
  waits.add(mine)
  try {
    return await work()
  } finally {
    waits.delete(mine)
  }
}
