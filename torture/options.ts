/** The order for a torture. */
import type { TortureFocus } from "../src/core/torture-focus.ts"

export type TortureOptions = {
  /** Real path of the original, which is only cloned. */
  readonly repo: string
  readonly seed: number
  /** How long the play lasts; settling takes longer. */
  readonly seconds: number
  /** The play lasts until this many kills have struck, however long that takes. */
  readonly kills?: number | undefined
  /** A situation that occurs in half of the tasks. */
  readonly focus?: TortureFocus | undefined
  /** Ends it early: ends all of its processes, and removes the clone. */
  readonly signal: AbortSignal
  /** Receives a line of progress at a time. */
  tell(line: string): void
}
