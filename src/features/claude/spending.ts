/**
 * Reports what a turn uses while it runs, because a killed program reports nothing any more.
 *
 * We ask for the totals whenever the program says something, one request at a time.
 */

import type { Usage } from "../../api/wire/tasks.ts"
import { isTransient } from "../../base/errors.ts"
import { type Totals, usageBetween } from "./usage.ts"

export type Spending = {
  readTotals(): Promise<Totals | undefined>
  report(usage: Usage): void
  /** Receives an error that a retry cannot cure. */
  onError(error: unknown): void
}

export class ClaudeSpending {
  readonly #spending: Spending
  /** The totals that are reported already. */
  #totals: Totals | undefined
  #reporting: Promise<void> | undefined
  #hasMore = false
  #isOver = false

  constructor(spending: Spending) {
    this.#spending = spending
  }

  /** @param totals of the turns before; undefined: the program does not report any. */
  begin(totals: Totals | undefined): void {
    this.#totals = totals
  }

  /** The program has said something, so there may be more to report. */
  noteActivity(): void {
    this.#hasMore = true
    this.#reporting ??= this.#reportAll().finally(() => {
      this.#reporting = undefined
    })
  }

  /** The unreported usage of a turn that ends. */
  async rest(): Promise<Usage> {
    await this.#reporting
    const totals = await this.#spending.readTotals()
    const usage = usageBetween(this.#totals, totals)
    this.#totals = totals ?? this.#totals
    return usage
  }

  /** For a turn that does not end, by the totals in its result. */
  reportUpTo(totals: Totals): void {
    if (this.#isOver || !this.#totals) return
    try {
      this.#spending.report({ ...usageBetween(this.#totals, totals), turns: 0 })
      this.#totals = totals
    } catch (error) {
      if (!isTransient(error)) this.#spending.onError(error) // otherwise the next report includes it
    }
  }

  /** Stops all further reports. */
  end(): void {
    this.#isOver = true
  }

  async #reportAll(): Promise<void> {
    while (this.#hasMore && !this.#isOver && this.#totals) {
      this.#hasMore = false
      const totals = await this.#spending.readTotals()
      if (totals) this.reportUpTo(totals)
    }
  }
}
