/** Limits how long a turn waits for the background tasks of an agent that has stopped. */

/** Time for the program to wake the agent after the last background task has ended. */
const WAKE_MS_MAX = 10_000

export class ClaudeBackground {
  readonly #msMax: number
  readonly #endTurn: () => Promise<void>
  readonly #fail: (error: unknown) => void
  #isRunning = false
  /** When the turn ends at the latest, however often the program wakes the agent. */
  #endMs: number | undefined
  #timer: NodeJS.Timeout | undefined
  #timeout: Promise<void> | undefined

  /** @param endTurn called when the time is over. @param fail gets its error. */
  constructor(msMax: number, endTurn: () => Promise<void>, fail: (error: unknown) => void) {
    this.#msMax = msMax
    this.#endTurn = endTurn
    this.#fail = fail
  }

  /** Whether the agent has stopped while its own tasks still run in the background. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Settles when a turn that ran out of time has ended; undefined if none has just run out. */
  get timeout(): Promise<void> | undefined {
    return this.#timeout
  }

  /** The agent has stopped, but its tasks run. */
  begin(): void {
    this.#isRunning = true
  }

  /** The turn is over. */
  end(): void {
    this.stopTimer()
    this.#isRunning = false
    this.#endMs = undefined
  }

  /** Ends the turn at the limit, which counts from the first call in a turn. */
  awaitEnd(): void {
    this.#endMs ??= performance.now() + this.#msMax
    this.#endTurnIn(this.#endMs - performance.now())
  }

  /** No task runs any more: ends the turn if the program does not wake the agent. */
  awaitWake(): void {
    if (this.#isRunning) this.#endTurnIn(WAKE_MS_MAX)
  }

  stopTimer(): void {
    clearTimeout(this.#timer)
  }

  #endTurnIn(waitMs: number): void {
    this.stopTimer()
    const end = () => {
      this.#timeout = this.#endTurn()
        .catch(this.#fail)
        .finally(() => {
          this.#timeout = undefined
        })
    }
    this.#timer = setTimeout(end, Math.max(0, waitMs))
  }
}
