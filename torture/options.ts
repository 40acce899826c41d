/** The order for a torture. */

export type TortureOptions = {
  /** Real path of the original, which is only cloned. */
  readonly repo: string
  readonly seed: number
  /** How long the play lasts; settling takes longer. */
  readonly seconds: number
  /** The play lasts until this many kills have struck, however long that takes. */
  readonly kills?: number | undefined
  /** Ends it early: ends all of its processes, and removes the clone. */
  readonly signal: AbortSignal
  /** Receives a line of progress at a time. */
  tell(line: string): void
}
