/** The options of a torture run. */
import type { TortureFocus } from "../src/features/torture/focus.ts"

export type TortureOptions = {
  /** Real path of the original repository; the run only clones it. */
  readonly repo: string
  readonly seed: number
  /** How long the play lasts; settling takes longer. */
  readonly seconds: number
  /** If set, the play ends after this many kills instead. */
  readonly kills?: number | undefined
  /** A situation that occurs in half of the tasks. */
  readonly focus?: TortureFocus | undefined
  /** Ends the run early: ends all of its processes and removes the clone. */
  readonly signal: AbortSignal
  /** Reports progress, one line at a time. */
  tell(line: string): void
}
