/** Limits the time of every turn of a session. */
export class TurnClock {
  readonly limitMs: number
  readonly #over = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number) {
    this.limitMs = limitMs
  }

  /** Aborts when a turn has taken too long. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  start(): void {
    this.#timer = setTimeout(() => this.#over.abort(), this.limitMs).unref()
  }

  /** The next turn has the whole time again. */
  pause(): void {
    clearTimeout(this.#timer)
  }
}
