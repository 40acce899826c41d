/**
 * Records why the work for a task waits, so that a person can see it.
 *
 * Waits for locks and the network happen deep down, in code that does not know the task. The
 * asynchronous context carries the task's id there.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { TaskId } from "../../base/ids.ts"
import type { Step } from "./rules/why.ts"

const current = new AsyncLocalStorage<Set<Step>>()

export class Waits {
  readonly #byTask = new Map<TaskId, Set<Step>>()

  /** Runs `work` and assigns its waits to the task. */
  async during<T>(task: TaskId, work: () => Promise<T>): Promise<T> {
    const waits = this.#byTask.get(task) ?? new Set<Step>()
    this.#byTask.set(task, waits)
    try {
      return await current.run(waits, work)
    } finally {
      if (waits.size === 0) this.#byTask.delete(task)
    }
  }

  /** The innermost wait. */
  find(task: TaskId): Step | undefined {
    return [...(this.#byTask.get(task) ?? [])].at(-1)
  }
}

/** Records, while `work` runs, what the task waits for. Without a task it records nothing. */
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
