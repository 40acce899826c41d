/**
 * What a conversation's turns use, told while they go on: who is killed says nothing any more.
 *
 * The totals are asked for whenever the program says something, one question at a time.
 */
import { isTransient } from "../core/errors.ts"
import type { Usage } from "../core/wire.ts"
import { type Totals, usageBetween } from "./claude-usage.ts"

export type Spending = {
  readTotals(): Promise<Totals | undefined>
  tell(usage: Usage): void
  /** An error that time does not mend. */
  onError(error: unknown): void
}

export class ClaudeSpending {
  readonly #spending: Spending
  /** As far as all is told. */
  #totals: Totals | undefined
  #telling: Promise<void> | undefined
  #hasMore = false
  #isOver = false

  constructor(spending: Spending) {
    this.#spending = spending
  }

  /** @param totals of turns before; undefined: the program does not tell. */
  begin(totals: Totals | undefined): void {
    this.#totals = totals
  }

  /** The program has said something: there may be more to tell. */
  heard(): void {
    this.#hasMore = true
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined
    })
  }

  /** Of a turn that ends: what was not told of it. */
  async rest(): Promise<Usage> {
    await this.#telling
    const totals = await this.#spending.readTotals()
    const usage = usageBetween(this.#totals, totals)
    this.#totals = totals ?? this.#totals
    return usage
  }

  /** Of a turn that does not end, by the totals that its result tells. */
  tellUpTo(totals: Totals): void {
    if (this.#isOver || !this.#totals) return
    try {
      this.#spending.tell({ ...usageBetween(this.#totals, totals), turns: 0 })
      this.#totals = totals
    } catch (error) {
      if (!isTransient(error)) this.#spending.onError(error) // else it is told with the next
    }
  }

  /** Nothing is told from now on. */
  end(): void {
    this.#isOver = true
  }

  async #tellAll(): Promise<void> {
    while (this.#hasMore && !this.#isOver && this.#totals) {
      this.#hasMore = false
      const totals = await this.#spending.readTotals()
      if (totals) this.tellUpTo(totals)
    }
  }
}
