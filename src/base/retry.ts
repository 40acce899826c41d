/** When to try again. Pure: the caller passes the time and the dice. */

export type RetryPolicy = {
  readonly attemptsMax: number
  readonly delayMsMin: number
  readonly delayMsMax: number
}

/** A pause after an error, before the next try. */
export type Rest = {
  readonly text: string
  /** Null: no more tries until a person acts. */
  readonly retryAtMs: number | null
  /** The act of a person that ends it, if known. */
  readonly unblock?: string
  /** The daemon was ended: not an error, and nothing that needs a person. */
  readonly isEnded?: true
}

/**
 * How long to wait before the next attempt, or undefined when there is none left.
 *
 * Doubles from `delayMsMin` up to `delayMsMax`, then takes a uniform share of it ("full jitter").
 *
 * @param attempts how many attempts have failed so far; at least 1.
 * @param dice     uniform in [0, 1).
 * @returns        whole milliseconds in [0, `delayMsMax`].
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelayMs(
  policy: RetryPolicy,
  attempts: number,
  dice: number,
): number | undefined {
  if (attempts >= policy.attemptsMax) return undefined
  const ceiling = Math.min(policy.delayMsMax, policy.delayMsMin * 2 ** (attempts - 1))
  return Math.floor(dice * ceiling)
}
