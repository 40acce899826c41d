/**
 * Drives one source: polls it, claims ready items, and reports their results.
 *
 * An item's row says what is due; this object only remembers when to try. So a crash loses nothing: the
 * next daemon reads the rows, and repeats what may have been cut off.
 */

import { iso } from "../../api/documents/row-documents.ts"
import { AppError, isTransient } from "../../base/errors.ts"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import { goesOn, type WallWait } from "../../base/wall-wait.ts"
import type { World } from "../../base/world.ts"
import type { SourceConfig } from "../../config/config.ts"
import { listEventsOf } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { ThreadDriver } from "./chat/thread-driver.ts"
import { SourceError } from "./errors.ts"
import {
  addSourceItem,
  dropSourceItem,
  listSourceItems,
  recordNoted,
  recordSourceItem,
  type SourceItem,
} from "./rows.ts"
import { hasStopped, STOP_NOTE } from "./rules/source-item.ts"
import type { Item, Source } from "./source.ts"
import type { SourceDocument } from "./wire.ts"

export type DriverParts = {
  readonly db: Db
  readonly world: World
  readonly config: SourceConfig
  readonly source: Source
  mintNonce(): string
  /** @throws {AppError} if no task can be made now, so that no item is claimed in vain. */
  requireReady(): void
  /** For a chat: the conversations in its threads. */
  readonly threads?: Pick<ThreadDriver, "step" | "problems"> | undefined
  /** Creates the task and records it with the claim, in one transaction. */
  createTask(row: SourceItem, item: Item): Promise<void>
  onBug(error: unknown): void
}

/** No person waits for a tracker, so a source is tried for ever; `coppice status` shows its error. */
const RESTS: RetryPolicy = {
  attemptsMax: Number.POSITIVE_INFINITY,
  delayMsMin: 5_000,
  delayMsMax: 5 * 60_000,
}
/** A foreign claim, or a refusal, rarely changes sooner. */
const ITEM_REST_MS = 10 * 60_000
/** A list may be older than our last change of an item, so an ended item stays known for this long. */
const LIST_AGE_MS = 2 * 60_000
/** A source may name a later time; then it is asked again. */
const REST_MS_MAX = 60 * 60_000

export class SourceDriver {
  readonly #parts: DriverParts
  #polledAtMs: number | undefined
  #untilPoll: WallWait | undefined
  #untilRetry: WallWait | undefined
  #failures = 0
  #isWanted = false
  #error: string | null = null
  #listed: readonly string[] = []
  /** Items that are left alone for a while, and why. */
  readonly #resting = new Map<string, WallWait & { readonly why: string | null }>()

  constructor(parts: DriverParts) {
    this.#parts = parts
  }

  async step(signal: AbortSignal): Promise<void> {
    if (this.#waits(this.#untilRetry)) return
    try {
      for (const row of this.#rows("reporting"))
        if (!this.#waits(this.#resting.get(row.item))) await this.#report(row, signal)
      for (const row of this.#rows("working"))
        if (!this.#waits(this.#resting.get(row.item))) await this.#noteStop(row, signal)
      for (const row of this.#rows("claiming")) await this.#claim(row, signal)
      const isDue = this.#isWanted || !(this.#parts.config.schedule || this.#waits(this.#untilPoll))
      if (isDue) await this.#poll(signal)
      await this.#parts.threads?.step(isDue, signal)
      this.#failures = 0
      this.#error = null
    } catch (error) {
      if (!signal.aborted) this.#rest(error)
    }
  }

  /** The next step polls, even after an error. */
  want(): void {
    this.#isWanted = true
    this.#untilRetry = undefined
  }

  /** Whether a poll was wanted, and has not happened since. */
  get isWanted(): boolean {
    return this.#isWanted
  }

  describe(): SourceDocument {
    const { config, world } = this.#parts
    const isResting = this.#error !== null
    const refused = [...this.#resting].flatMap(([item, { why }]) =>
      why === null ? [] : [`${config.name} ${item}: ${why}`],
    )
    return {
      name: config.name,
      type: config.type,
      polledAt: this.#polledAtMs === undefined ? null : iso(this.#polledAtMs),
      error: this.#error,
      retryAt: isResting ? iso(Math.max(this.#untilRetry?.untilMs ?? 0, world.nowMs())) : null,
      problems: [...this.#listed, ...refused, ...(this.#parts.threads?.problems() ?? [])],
      open: this.#open(),
      max: config.openMax,
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { db, world, config, source, mintNonce, requireReady } = this.#parts
    const { ready, isWhole, problems } = await source.list(signal)
    const nowMs = world.nowMs()
    this.#polledAtMs = nowMs
    this.#listed = problems
    for (const [item, rest] of this.#resting) if (!this.#waits(rest)) this.#resting.delete(item)
    const listed = new Set(ready)
    for (const { item, nonce, updatedAtMs } of this.#rows("ended"))
      if (isWhole && !listed.has(item) && updatedAtMs + LIST_AGE_MS < nowMs)
        dropSourceItem(db, nonce)
    const known = new Set(this.#rows().map(({ item }) => item))
    for (const item of ready.filter((one) => !known.has(one) && !this.#resting.has(one))) {
      if (this.#open() >= config.openMax) break
      requireReady()
      const row = addSourceItem(db, { source: config.name, item, nonce: mintNonce() }, nowMs)
      await this.#claim(row, signal)
    }
    this.#isWanted = false
    this.#untilPoll = { fromMs: nowMs, untilMs: nowMs + config.intervalMs }
  }

  /** A claim that was cut off is repeated with the same nonce. */
  async #claim(row: SourceItem, signal: AbortSignal): Promise<void> {
    const { db, source, world, config, createTask } = this.#parts
    const claimed = await source.claim(row, signal)
    await world.point("source.claimed")
    if (claimed.kind === "claimed") return await createTask(row, claimed.item)
    dropSourceItem(db, row.nonce)
    if (claimed.kind === "gone") return this.#leaveAlone(row, config.intervalMs, null)
    // By the dice, so that two fleets that gave way to each other do not meet again.
    const isTie = claimed.kind === "taken" && claimed.isTie
    const restMs = isTie ? config.intervalMs * (1 + world.dice()) : ITEM_REST_MS
    this.#leaveAlone(row, restMs, claimed.why)
  }

  #leaveAlone({ item }: SourceItem, restMs: number, why: string | null): void {
    const fromMs = this.#parts.world.nowMs()
    this.#resting.set(item, { fromMs, untilMs: fromMs + restMs, why })
  }

  #waits(wait: WallWait | undefined): boolean {
    return wait !== undefined && goesOn(wait, this.#parts.world.nowMs())
  }

  async #report(row: SourceItem, signal: AbortSignal): Promise<void> {
    const { db, source, world } = this.#parts
    if (row.result === null) return
    const { staysListed, problem, mustRepeat } = await source.end(row, row.result, signal)
    await world.point("source.reported")
    if (problem !== undefined || mustRepeat) this.#leaveAlone(row, ITEM_REST_MS, problem ?? null)
    if (mustRepeat) return
    if (staysListed) recordSourceItem(db, row.nonce, { ended: true }, world.nowMs())
    else dropSourceItem(db, row.nonce)
  }

  /** One comment for each stop: its event is in the comment and in the row. */
  async #noteStop(row: SourceItem, signal: AbortSignal): Promise<void> {
    const { db, source, world } = this.#parts
    const stop = source.note && findStop(db, row)
    if (stop === undefined || !source.note) return
    const problem = await source.note(row, { key: String(stop), text: STOP_NOTE }, signal)
    await world.point("source.noted")
    recordNoted(db, row.nonce, stop)
    if (problem !== undefined) this.#leaveAlone(row, ITEM_REST_MS, problem)
  }

  #rest(error: unknown): void {
    const { world, onBug } = this.#parts
    this.#failures++
    const nowMs = world.nowMs()
    const isKnown = error instanceof AppError && error.blame !== "bug"
    if (!isKnown) onBug(error)
    this.#error = isKnown ? [error.message, ...error.hints].join(" ") : "There is a bug in Coppice."
    const dice = 0.5 + world.dice() / 2
    const delayMs = isTransient(error)
      ? retryDelayMs(RESTS, this.#failures, dice)
      : RESTS.delayMsMax
    const named = error instanceof SourceError ? error.retryAtMs : undefined
    const retryAtMs = Math.max(nowMs + (delayMs ?? RESTS.delayMsMax), named ?? 0)
    this.#untilRetry = { fromMs: nowMs, untilMs: Math.min(retryAtMs, nowMs + REST_MS_MAX) }
  }

  #open(): number {
    return this.#rows("claiming").length + this.#rows("working").length
  }

  #rows(state?: SourceItem["state"]): SourceItem[] {
    const { db, config } = this.#parts
    return listSourceItems(db).filter(
      (row) => row.source === config.name && (state === undefined || row.state === state),
    )
  }
}

/** The event of the task's stop, unless the source has a comment on it. A working task has not stopped. */
function findStop(db: Db, { task: id, noted }: SourceItem): number | undefined {
  const task = id === null ? undefined : findTask(db, id)
  if (!task || !hasStopped(task.state)) return undefined
  return listEventsOf(db, STOPS, { task: task.id, after: noted, limit: STOPS_MAX }).at(-1)?.seq
}

const STOPS = ["task.got_stuck", "task.landing_failed"]
/** More than there are between two steps of the driver; the rest would get the next comment. */
const STOPS_MAX = 100
