/** Limits how many CPU-bound jobs run at once; the others wait in order of arrival. */
import { untilAborted } from "../../../base/until-aborted.ts"

export class CpuSlots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** @param signal ends the wait but never the work; its reason is then thrown. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    if (!signal) return await promise
    try {
      await untilAborted(promise, signal)
    } catch (error) {
      const at = this.#waiting.indexOf(resolve)
      if (at < 0)
        this.#release() // a slot came free at this very moment
      else this.#waiting.splice(at, 1)
      throw error
    }
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
