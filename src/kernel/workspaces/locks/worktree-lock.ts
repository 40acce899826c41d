/**
 * Decides who may touch a worktree now: turns share it, and a landing locks it exclusively.
 *
 * Fair: a newcomer waits after all earlier waiters, so a stream of turns never keeps a landing out.
 * A cancelled waiter leaves the queue and gets nothing afterwards. It is held in memory, since one
 * daemon owns a home's worktrees and its death releases everything.
 */
import { assert } from "../../../base/assert.ts"
import type { TaskId } from "../../../base/ids.ts"

type Use = "shared" | "alone"
type Waiter = Taker & { enter(): void }
type Place = { sharers: number; owner: Taker | undefined; readonly waiters: Waiter[] }

/** A user of a worktree, and since when it has wanted it; shown to those who wait for it. */
type Taker = { readonly use: Use; readonly task: TaskId; readonly sinceMs: number }

/** A turn that waits for its worktree. */
export type WorktreeWait = {
  readonly worktree: string
  readonly sinceMs: number
  /** The task that has the worktree exclusively, or will have it next. */
  readonly by: TaskId
}

type OwnedFor = {
  readonly task: TaskId
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type WorktreeLease = Disposable & {
  /** Safe to repeat. */
  release(): void
}

export class WorktreeLock {
  readonly #places = new Map<string, Place>()

  /** For a turn of the task. @throws {Error} the reason of `signal` when it aborts first. */
  async share(
    worktrees: readonly string[],
    { signal, ...by }: Omit<Taker, "use"> & { readonly signal: AbortSignal },
  ): Promise<WorktreeLease> {
    const lease = await this.#take(worktrees, { use: "shared", ...by }, signal)
    if (!lease) throw signal.reason
    return lease
  }

  /**
   * For a change to files in them, on behalf of the task.
   *
   * @returns undefined after the timeout; nothing is held then.
   * @throws {Error} the reason of `signal` when it aborts first.
   */
  async own(
    worktrees: readonly string[],
    { timeoutMs, signal, task }: OwnedFor,
  ): Promise<WorktreeLease | undefined> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const lease = await this.#take(worktrees, { use: "alone", task, sinceMs: 0 }, limit)
    if (!lease) signal.throwIfAborted()
    return lease
  }

  /** The wait of the task's turn; undefined if it waits for no worktree. */
  findWait(task: TaskId): WorktreeWait | undefined {
    for (const [worktree, { owner, waiters }] of this.#places) {
      const waiter = waiters.find((one) => one.use === "shared" && one.task === task)
      const by = owner ?? waiters.find(({ use }) => use === "alone")
      if (waiter && by) return { worktree, sinceMs: waiter.sinceMs, by: by.task }
    }
    return undefined
  }

  /** All or none; in one order, so that two never wait for each other. */
  async #take(worktrees: readonly string[], taker: Taker, signal: AbortSignal) {
    const taken: string[] = []
    const release = () => {
      for (const worktree of taken.splice(0)) this.#leave(worktree, taker)
    }
    for (const worktree of [...new Set(worktrees)].sort()) {
      if (!(await this.#enter(worktree, taker, signal))) {
        release()
        return undefined
      }
      taken.push(worktree)
    }
    return { release, [Symbol.dispose]: release }
  }

  async #enter(worktree: string, taker: Taker, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    const place = this.#places.get(worktree) ?? { sharers: 0, owner: undefined, waiters: [] }
    this.#places.set(worktree, place)
    const entered = Promise.withResolvers<boolean>()
    const waiter = { ...taker, enter: () => entered.resolve(true) }
    place.waiters.push(waiter)
    const giveUp = () => {
      const at = place.waiters.indexOf(waiter)
      if (at === -1) return // the waiter has entered already
      place.waiters.splice(at, 1)
      entered.resolve(false)
      this.#admit(worktree, place)
    }
    signal.addEventListener("abort", giveUp, { once: true })
    this.#admit(worktree, place)
    return entered.promise.finally(() => signal.removeEventListener("abort", giveUp))
  }

  #leave(worktree: string, { use }: Taker): void {
    const place = this.#places.get(worktree)
    assert(place, "a worktree that is left was entered")
    if (use === "alone") place.owner = undefined
    else place.sharers--
    this.#admit(worktree, place)
  }

  /** Admits the first waiter, and those after it that are compatible with it. */
  #admit(worktree: string, place: Place): void {
    for (let first = place.waiters[0]; first && canEnter(place, first.use); ) {
      if (first.use === "alone") place.owner = first
      else place.sharers++
      place.waiters.shift()
      first.enter()
      first = place.waiters[0]
    }
    if (!place.owner && place.sharers === 0) this.#places.delete(worktree)
  }
}

const canEnter = ({ sharers, owner }: Place, use: Use): boolean =>
  !owner && (use === "shared" || sharers === 0)
