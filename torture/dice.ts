/** Dice with a seed: the same seed gives the same throws. */

/** An odd number far from a power of two, so that neighbouring steps start far apart. */
const STEP = 0x9e3779b1

/** @see https://gist.github.com/tommyettinger/46a574533244883189143505d203312c (mulberry32) */
export class Dice {
  #state: number

  /** @param step gives each step of a play its own dice, so that no step changes the next one's. */
  constructor(seed: number, step = 0) {
    this.#state = (seed + Math.imul(step, STEP)) >>> 0
  }

  /** Uniform in [0, 1). */
  throw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** 0, 1, … below `end`. */
  below(end: number): number {
    return Math.floor(this.throw() * end)
  }

  chance(probability: number): boolean {
    return this.throw() < probability
  }

  /** Undefined only if the list is empty. */
  pick<T>(of: readonly T[]): T | undefined {
    return of[this.below(of.length)]
  }

  /** Picks a value with a probability proportional to its weight. */
  pickWeighted<T>(of: readonly (readonly [T, weight: number])[]): T | undefined {
    let left = this.throw() * of.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [value, weight] of of) {
      left -= weight
      if (left < 0) return value
    }
    return undefined
  }
}
