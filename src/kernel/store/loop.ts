/**
 * Drives rows of the store in parallel, with one run at a time for each.
 *
 * State lives only in the store; the loop remembers just the rows that it drives now. It checks after
 * every commit, at the end of a wait, and at the end of a run. So no row with work is forgotten, and none
 * runs twice.
 */

import { type Rest, type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import { onNews } from "./commit-news.ts"
import type { Db } from "./open.ts"

export type LoopWork<Id> = {
  /** The rows with work now, most urgent first, without the busy ones. Changes nothing. */
  list(busy: ReadonlySet<Id>): readonly Id[]
  /** Does the work of one row, as far as it goes. */
  drive(id: Id, signal: AbortSignal): Promise<void>
  /** Whether a driven row was withdrawn, so that its run must stop. */
  isWithdrawn(id: Id): boolean
  /** Time until a row that is not busy has work without a commit, in ms. */
  wakeInMs(busy: ReadonlySet<Id>): number | undefined
  /** @param id undefined for the search for work, rather than the run of a row. */
  onError(id: Id | undefined, error: unknown): void
  /** The text of a row's error for people. Default: its message. */
  describe?(id: Id, error: unknown): Promise<string>
  /** Whether no person waits for the row, so that it is tried for ever. */
  neverGivesUp?(id: Id): boolean
  /** Default: {@link RESTS}. */
  readonly rests?: RetryPolicy
}

/** A row pauses after a transient error (a full disk, a busy database): 40 minutes in all. */
const RESTS: RetryPolicy = { attemptsMax: 14, delayMsMin: 5_000, delayMsMax: 5 * 60_000 }
/** The longest sleep: setting back the clock must not prolong a wait. */
const POLL_MS_MAX = 30_000

export class StoreLoop<Id> {
  readonly #db: Db
  readonly #work: LoopWork<Id>
  readonly #driven = new Map<
    Id,
    { readonly abort: AbortController; readonly done: Promise<void> }
  >()
  readonly #resting = new Map<Id, Rest>()
  /** How often in a row it failed, by row; undefined: the search for work. */
  readonly #failures = new Map<Id | undefined, number>()
  /** While the search for work fails, no row that is not driven gets any. */
  #searchRest: Rest | undefined
  #stopped = true
  /** Counts commits: a row that ends triggers a check only if there was one since it started. */
  #commits = 0
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined

  constructor(db: Db, work: LoopWork<Id>) {
    this.#db = db
    this.#work = work
  }

  start(): void {
    this.#stopped = false
    this.#unsubscribe = onNews(this.#db, () => {
      this.#commits++
      this.#lookSoon()
    })
    this.#lookSoon()
  }

  /** Interrupts all runs; they continue after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe?.()
    clearImmediate(this.#soon)
    clearTimeout(this.#timer)
    for (const { abort } of this.#driven.values()) abort.abort()
    await Promise.all([...this.#driven.values()].map(({ done }) => done))
  }

  /** Why a row pauses after an error, and until when; undefined if it does not. */
  findRest(id: Id): Rest | undefined {
    return this.#resting.get(id) ?? (this.#driven.has(id) ? undefined : this.#searchRest)
  }

  /** A person has acted: retries at once, with a fresh count of tries. */
  retry(id: Id | undefined): void {
    if (id === undefined) return
    this.#failures.delete(id)
    if (this.#resting.delete(id)) this.#lookSoon()
  }

  #lookSoon(): void {
    if (this.#stopped) return
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      try {
        this.#look()
        this.#failures.delete(undefined)
        this.#searchRest = undefined
      } catch (error) {
        this.#work.onError(undefined, error)
        // No work is possible before it succeeds, so the search never gives up.
        const delayMs = this.#nextDelayMs(undefined) ?? RESTS.delayMsMax
        this.#timer = setTimeout(() => this.#lookSoon(), delayMs)
        const text = error instanceof Error ? error.message : String(error)
        this.#searchRest = { text, retryAtMs: Date.now() + delayMs }
      }
    })
  }

  #look(): void {
    for (const [id, { abort }] of this.#driven) if (this.#isWithdrawn(id)) abort.abort()
    for (const id of this.#work.list(this.#busy())) this.#drive(id)
    this.#setTimer()
  }

  /** For the rows that are not busy. */
  #setTimer(): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    const wakeInMs = this.#work.wakeInMs(this.#busy())
    if (wakeInMs === undefined) return
    this.#timer = setTimeout(() => this.#lookSoon(), Math.min(wakeInMs, POLL_MS_MAX))
  }

  /** The rows that are driven now, or rest after an error. */
  #busy(): ReadonlySet<Id> {
    return new Set([...this.#driven.keys(), ...this.#resting.keys()])
  }

  /** A row that cannot be read does not block others. */
  #isWithdrawn(id: Id): boolean {
    try {
      return this.#work.isWithdrawn(id)
    } catch (error) {
      this.#work.onError(id, error)
      return false
    }
  }

  #drive(id: Id): void {
    const abort = new AbortController()
    const before = this.#commits
    const done = this.#work
      .drive(id, abort.signal)
      .then(() => void this.#failures.delete(id))
      .catch(async (error: unknown) => {
        this.#work.onError(id, error)
        this.#rest(id, await this.#describe(id, error))
      })
      .finally(() => {
        this.#driven.delete(id)
        // Without a commit only its own next time may have changed.
        if (this.#commits !== before) this.#lookSoon()
        else this.#setTimer()
      })
    this.#driven.set(id, { abort, done })
  }

  #rest(id: Id, text: string): void {
    const delayMs = this.#nextDelayMs(id)
    const rest = { text, retryAtMs: delayMs === undefined ? null : Date.now() + delayMs }
    this.#resting.set(id, rest)
    if (delayMs === undefined) return
    const timer = setTimeout(() => {
      if (this.#resting.get(id) !== rest) return // a person was quicker
      this.#resting.delete(id)
      this.#lookSoon()
    }, delayMs)
    timer.unref()
  }

  /** Counts a failure. @returns undefined after too many. */
  #nextDelayMs(id: Id | undefined): number | undefined {
    const failures = (this.#failures.get(id) ?? 0) + 1
    this.#failures.set(id, failures)
    const rests = this.#work.rests ?? RESTS
    const delayMs = retryDelayMs(rests, failures, 1)
    if (delayMs !== undefined || id === undefined) return delayMs
    return this.#work.neverGivesUp?.(id) ? rests.delayMsMax : undefined
  }

  async #describe(id: Id, error: unknown): Promise<string> {
    const message = error instanceof Error ? error.message : String(error)
    try {
      return (await this.#work.describe?.(id, error)) ?? message
    } catch {
      return message // the row cannot be read, which may be the error itself
    }
  }
}
