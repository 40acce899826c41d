/**
 * Does the pools' work in the background: one job at a time per repository, so that it takes at
 * most one processor from the tasks there.
 *
 * Nothing waits only in memory: after a death, unfinished work is found in the rows.
 */

import { abortable } from "../../kernel/git/start/limits.ts"

/** Does the current work for one key, step by step. */
type Work = () => Promise<void>

type Line = {
  readonly done: Promise<void>
  /** The work that follows. */
  next: Map<string, Work>
  /** Resolvers of those who wait for the next step. */
  readonly waiters: (() => void)[]
}

export class PoolKeeper {
  readonly #lines = new Map<string, Line>()
  readonly #onError: (error: unknown) => void
  readonly #closing = new AbortController()

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Queues `work` for `repo`; a later one with the same key replaces one that has not started. */
  ask(repo: string, key: string, work: Work): void {
    if (this.closing.aborted) return
    const line = this.#lines.get(repo)
    if (line) line.next.set(key, work)
    else this.#begin(repo, new Map([[key, work]]))
  }

  /** Called by a work after each step. */
  stepped(repo: string): void {
    for (const go of this.#lines.get(repo)?.waiters.splice(0) ?? []) go()
  }

  /** Waits for the next step. @returns false when no work is under way for the repository. */
  async nextStep(repo: string): Promise<boolean> {
    const line = this.#lines.get(repo)
    if (!line) return false
    await new Promise<void>((resolve) => void line.waiters.push(resolve))
    return true
  }

  /** Settles when no repository has work under way. */
  async idle(): Promise<void> {
    while (this.#lines.size > 0)
      await Promise.all([...this.#lines.values()].map(({ done }) => done))
  }

  /** Accepts no more work, and settles when the current work has stopped. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.idle()
  }

  /** Checked between two steps of long work. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  #begin(repo: string, next: Map<string, Work>): void {
    const line: Line = { next, waiters: [], done: this.#run(repo, () => line) }
    this.#lines.set(repo, line)
  }

  async #run(repo: string, lineOf: () => Line): Promise<void> {
    await Promise.resolve() // until the queue is set
    const line = lineOf()
    for (let due = [...line.next]; due.length > 0 && !this.closing.aborted; due = [...line.next]) {
      line.next = new Map()
      for (const [, work] of due)
        if (!this.closing.aborted) await abortable(this.closing, work).catch(this.#onError)
    }
    this.stepped(repo)
    this.#lines.delete(repo)
  }
}
