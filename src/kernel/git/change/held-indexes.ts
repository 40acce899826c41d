/** Index locks that are held together for a bounded time, so that git commits nothing there. */
import { type HeldIndex, holdIndex } from "./own-index.ts"

export class HeldIndexes implements Disposable {
  readonly #held: Map<string, HeldIndex>
  readonly #timer: NodeJS.Timeout

  private constructor(held: Map<string, HeldIndex>, msMax: number) {
    this.#held = held
    this.#timer = setTimeout(() => this[Symbol.dispose](), msMax)
  }

  /** All or none. @param dirs git's own folders of the worktrees. @returns undefined while one is locked. */
  static take(dirs: readonly string[], msMax: number): HeldIndexes | undefined {
    using held = new HeldIndexes(new Map(), msMax) // released if one cannot be taken
    for (const dir of new Set(dirs)) {
      const index = holdIndex(dir)
      if (index.kind !== "held") return undefined
      held.#held.set(dir, index)
    }
    const all = new Map(held.#held)
    held.#held.clear()
    return new HeldIndexes(all, msMax)
  }

  /** Whether we still hold the lock of this index. */
  has(dir: string): boolean {
    return this.#held.has(dir)
  }

  /** Hands the lock over to the caller, who holds it without a bound. Undefined once it is released. */
  handOver(dir: string): HeldIndex | undefined {
    const index = this.#held.get(dir)
    this.#held.delete(dir)
    return index
  }

  /** Safe to repeat. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const index of this.#held.values()) index[Symbol.dispose]()
    this.#held.clear()
  }
}
