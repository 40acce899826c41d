/**
 * Says who may touch a worktree now: turns share it, and a landing has it alone.
 *
 * Fair: who comes waits behind everybody who waits already, so a stream of turns never keeps a
 * landing out. Who stops waiting has left the queue, and is given nothing afterwards. It is held in
 * memory, since one daemon owns a home's worktrees and its death lets go of everything.
 */
import { assert } from "../../core/assert.ts"

type Use = "shared" | "alone"
type Waiter = { readonly use: Use; enter(): void }
type Place = { sharers: number; isOwned: boolean; readonly waiters: Waiter[] }

export type WorktreeLease = Disposable & {
  /** Safe to repeat. */
  release(): void
}

export class WorktreeLock {
  readonly #places = new Map<string, Place>()

  /** For a turn. @throws `signal`'s reason when it aborts first. */
  async share(worktrees: readonly string[], signal: AbortSignal): Promise<WorktreeLease> {
    const lease = await this.#take(worktrees, "shared", signal)
    if (!lease) throw signal.reason
    return lease
  }

  /**
   * For what changes files in them.
   *
   * @returns undefined when it was not to be had in that time; nothing is held then.
   * @throws `signal`'s reason when it aborts first.
   */
  async own(
    worktrees: readonly string[],
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<WorktreeLease | undefined> {
    const timeLimit = AbortSignal.timeout(timeoutMs)
    const lease = await this.#take(worktrees, "alone", AbortSignal.any([signal, timeLimit]))
    if (!lease) signal.throwIfAborted()
    return lease
  }

  /** All or none; in one order, so that two never wait for each other. */
  async #take(worktrees: readonly string[], use: Use, signal: AbortSignal) {
    const taken: string[] = []
    const release = () => {
      for (const worktree of taken.splice(0)) this.#leave(worktree, use)
    }
    for (const worktree of [...new Set(worktrees)].sort()) {
      if (!(await this.#enter(worktree, use, signal))) {
        release()
        return undefined
      }
      taken.push(worktree)
    }
    return { release, [Symbol.dispose]: release }
  }

  async #enter(worktree: string, use: Use, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    const place = this.#places.get(worktree) ?? { sharers: 0, isOwned: false, waiters: [] }
    this.#places.set(worktree, place)
    const entered = Promise.withResolvers<boolean>()
    const waiter = { use, enter: () => entered.resolve(true) }
    place.waiters.push(waiter)
    const giveUp = () => {
      const at = place.waiters.indexOf(waiter)
      if (at === -1) return // it has entered already
      place.waiters.splice(at, 1)
      entered.resolve(false)
      this.#admit(worktree, place)
    }
    signal.addEventListener("abort", giveUp, { once: true })
    this.#admit(worktree, place)
    return entered.promise.finally(() => signal.removeEventListener("abort", giveUp))
  }

  #leave(worktree: string, use: Use): void {
    const place = this.#places.get(worktree)
    assert(place, "a worktree that is left was entered")
    if (use === "alone") place.isOwned = false
    else place.sharers--
    this.#admit(worktree, place)
  }

  /** Lets in the first of those who wait, and who follows it, as far as they go together. */
  #admit(worktree: string, place: Place): void {
    for (let first = place.waiters[0]; first && canEnter(place, first.use); ) {
      if (first.use === "alone") place.isOwned = true
      else place.sharers++
      place.waiters.shift()
      first.enter()
      first = place.waiters[0]
    }
    if (!place.isOwned && place.sharers === 0) this.#places.delete(worktree)
  }
}

const canEnter = ({ sharers, isOwned }: Place, use: Use): boolean =>
  !isOwned && (use === "shared" || sharers === 0)
