/**
 * Exports traces: follows the events from a cursor in the store, and sends the spans that ended.
 *
 * No task, job or landing knows of it. The cursor moves when the collector has taken the spans, so a killed daemon
 * sends some of them again, with the same ids. While the collector is down, one batch is in memory and the rest is
 * in the log of events.
 */
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises"
import type { Logger } from "pino"
import { readVersion } from "../../api/client/daemon-address.ts"
import type { TaskId } from "../../base/ids.ts"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import type { World } from "../../base/world.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { onNews } from "../../kernel/store/commit-news.ts"
import { readUniqueName } from "../../kernel/store/home.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findRunningJob } from "../../kernel/tasks/rows/jobs/find.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { findStateEntry, forgetTraceCursor, recordTraceCursor, startTraceCursor } from "./rows.ts"
import { traceKeys } from "./rules.ts"
import { type SentSpans, sendSpans } from "./send-spans.ts"
import { findTraceSettings, type TraceSettings } from "./settings.ts"
import { TraceIds } from "./trace-ids.ts"
import { type Batch, TraceReader } from "./trace-reader.ts"

/** Further events of the same moment go with the first ones. */
const GATHER_MS = 1_000
/** Events without spans that the next daemon reads again. */
const READ_AGAIN_MAX = 1_000
/** An export ends at once. The end of the daemon never waits for one that does not. */
const STOP_MS_MAX = 2_000
/** A collector that is down is tried for ever: the events stay in the store. */
const RETRIES: RetryPolicy = {
  attemptsMax: Number.POSITIVE_INFINITY,
  delayMsMin: 2_000,
  delayMsMax: 5 * 60_000,
}

export type TracesContext = {
  readonly db: Db
  readonly world: World
  readonly log: Logger
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Traces = {
  start(): void
  stop(): Promise<void>
  /** A sentence for each, for a person. */
  problems(): readonly string[]
  /** With them, a program that traces joins the trace of the task. */
  variables(task: TaskId, by: { readonly forAgent: boolean }): Readonly<Record<string, string>>
}

export function createTraces(context: TracesContext): Traces {
  const found = findTraceSettings(context.env)
  if (found.kind === "on") return new TraceExport(context, found.settings)
  return {
    start: () => {
      if (found.kind === "wrong") context.log.warn(found.text)
      else forgetTraceCursor(context.db)
    },
    stop: async () => {},
    problems: () => (found.kind === "wrong" ? [found.text] : []),
    variables: () => ({}),
  }
}

class TraceExport implements Traces {
  readonly #context: TracesContext
  readonly #settings: TraceSettings
  /** Now: an upgrade may replace the package under a running daemon. */
  readonly #version = readVersion()
  readonly #ending = new AbortController()
  #ids: TraceIds | undefined
  #news = Promise.withResolvers<void>()
  #unsubscribe = () => {}
  #done: Promise<void> = Promise.resolve()
  /** Why the collector does not have the latest spans. */
  #trouble: string | undefined
  #failures = 0
  /** Where the cursor in the store is. */
  #recorded = 0

  constructor(context: TracesContext, settings: TraceSettings) {
    this.#context = context
    this.#settings = settings
  }

  start(): void {
    this.#unsubscribe = onNews(this.#context.db, () => this.#news.resolve())
    this.#done = this.#run().catch((error: unknown) => {
      if (!this.#ending.signal.aborted)
        this.#context.log.error({ err: error }, "the export of traces has ended")
    })
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#ending.abort()
    this.#news.resolve()
    await Promise.race([this.#done, sleep(STOP_MS_MAX, undefined, { ref: false })])
  }

  problems(): readonly string[] {
    return this.#trouble === undefined ? [] : [`${this.#trouble}.`]
  }

  variables(id: TaskId, { forAgent }: { readonly forAgent: boolean }): Record<string, string> {
    const { db } = this.#context
    const job = findRunningJob(db, id)?.id
    const session = forAgent ? findOpenTurn(db, id)?.session : undefined
    const landing = forAgent ? undefined : findLandingOfTask(db, id)
    const entry = landing?.state === "gating" ? findStateEntry(db, landing) : undefined
    let key = job === undefined ? traceKeys.task(id) : traceKeys.job(job)
    if (session !== undefined) key = traceKeys.session(session, job)
    if (entry !== undefined) key = traceKeys.landingState(entry)
    const ids = this.#readIds()
    return { TRACEPARENT: `00-${ids.trace(id)}-${ids.span(key)}-01` }
  }

  #readIds(): TraceIds {
    this.#ids ??= new TraceIds(readUniqueName(this.#context.db))
    return this.#ids
  }

  async #run(): Promise<void> {
    const { db } = this.#context
    const { signal } = this.#ending
    let reader: TraceReader | undefined
    while (!signal.aborted) {
      try {
        if (!reader) {
          this.#recorded = startTraceCursor(db)
          reader = new TraceReader(db, this.#recorded)
        }
        const batch = reader.next()
        if (batch) {
          await this.#export(batch)
          await soon() // a long log of events does not block the daemon
        } else await this.#untilNews()
        this.#failures = 0
      } catch (error) {
        if (signal.aborted) return
        reader = undefined // the reader's tasks may be ahead of the cursor
        this.#tell("The spans of traces cannot be read or written down", error)
        await this.#rest()
      }
    }
  }

  async #untilNews(): Promise<void> {
    await this.#news.promise
    this.#news = Promise.withResolvers()
    await sleep(GATHER_MS, undefined, { signal: this.#ending.signal })
  }

  async #export({ spans, seq }: Batch): Promise<void> {
    const { db } = this.#context
    if (spans.length > 0) {
      const { encodeSpans } = await import("./encode-spans.ts")
      const { resource } = this.#settings
      const own = { ids: this.#readIds(), version: this.#version, resource }
      const body = encodeSpans(spans, own)
      await this.#deliver(body, spans.length)
    }
    if (spans.length === 0 && seq - this.#recorded < READ_AGAIN_MAX) return
    recordTraceCursor(db, seq)
    this.#recorded = seq
  }

  async #deliver(body: Buffer, count: number): Promise<void> {
    const { world, log } = this.#context
    const { signal } = this.#ending
    for (;;) {
      const sent = await sendSpans(this.#settings, body, { nowMs: world.nowMs(), signal })
      if (sent.kind === "refused")
        return this.#tell(
          `The collector of traces refuses ${count} spans, which are lost: ${sent.text}`,
        )
      if (sent.kind === "ok") {
        if (this.#trouble !== undefined) log.info("the collector takes traces again")
        this.#trouble = undefined
        return
      }
      this.#tell(`The collector of traces takes none, and is tried again: ${sent.text}`)
      await this.#rest(sent)
    }
  }

  async #rest(sent?: Extract<SentSpans, { kind: "failed" }>): Promise<void> {
    this.#failures += 1
    const { dice } = this.#context.world
    const halfMs = (retryDelayMs(RETRIES, this.#failures, 1) ?? RETRIES.delayMsMax) / 2
    const delayMs = Math.max(halfMs * (1 + dice()), sent?.retryAfterMs ?? 0)
    await sleep(delayMs, undefined, { signal: this.#ending.signal })
  }

  /** Once, until the collector takes spans again. */
  #tell(text: string, error?: unknown): void {
    const { log } = this.#context
    if (this.#trouble === undefined) log.warn({ ...(error !== undefined && { err: error }) }, text)
    this.#trouble = text
  }
}
