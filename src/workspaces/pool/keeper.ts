/**
 * Does the pools' work behind: for each repository one thing after another, so that it never takes
 * more than one processor from the tasks that run there.
 *
 * Nothing waits in memory alone: whatever was not done when we died is found in the rows again.
 */

/** Does what there is to do now for one key, step by step. */
type Work = () => Promise<void>

type Line = {
  readonly done: Promise<void>
  /** What is to be done after that. */
  next: Map<string, Work>
  /** Those who wait for the next step. */
  readonly waiters: (() => void)[]
}

export class PoolKeeper {
  readonly #lines = new Map<string, Line>()
  readonly #onError: (error: unknown) => void
  readonly #closing = new AbortController()

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Has `work` done for `repo`; of several with one key that still wait, the last one counts. */
  ask(repo: string, key: string, work: Work): void {
    if (this.closing.aborted) return
    const line = this.#lines.get(repo)
    if (line) line.next.set(key, work)
    else this.#begin(repo, new Map([[key, work]]))
  }

  /** Told by a work that it has come one step further. */
  stepped(repo: string): void {
    for (const go of this.#lines.get(repo)?.waiters.splice(0) ?? []) go()
  }

  /** Waits for the next step. @returns false when nothing is under way for the repository. */
  async step(repo: string): Promise<boolean> {
    const line = this.#lines.get(repo)
    if (!line) return false
    await new Promise<void>((resolve) => void line.waiters.push(resolve))
    return true
  }

  /** Settles when nothing is under way for any repository. */
  async idle(): Promise<void> {
    while (this.#lines.size > 0)
      await Promise.all([...this.#lines.values()].map(({ done }) => done))
  }

  /** Takes nothing on any more, and settles when what is under way has come to a stop. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.idle()
  }

  /** To be asked between two steps of a work that takes long. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  #begin(repo: string, next: Map<string, Work>): void {
    const line: Line = { next, waiters: [], done: this.#run(repo, () => line) }
    this.#lines.set(repo, line)
  }

  async #run(repo: string, lineOf: () => Line): Promise<void> {
    await Promise.resolve() // until the line is known
    const line = lineOf()
    for (let due = [...line.next]; due.length > 0 && !this.closing.aborted; due = [...line.next]) {
      line.next = new Map()
      for (const [, work] of due) if (!this.closing.aborted) await work().catch(this.#onError)
    }
    this.stepped(repo)
    this.#lines.delete(repo)
  }
}
