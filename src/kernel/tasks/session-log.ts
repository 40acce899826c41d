/** Writes an agent's output to the task's log, many lines in one transaction. */
import { isTransient } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { excerpt } from "../../base/text/excerpt.ts"
import type { AgentEvent } from "../runtime/runtime.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import type { JobsContext, Rows } from "./context.ts"
import { findOpenTurn } from "./rows/turns/find.ts"

/** Short enough to look live. Every commit waits for the disk, so we batch the lines. */
const FLUSH_MS = 50
/** Used while the disk is full. */
const TRY_AGAIN_MS = 1_000
/** Lines that wait for the disk; beyond this the oldest are dropped. */
const WAITING_MAX = 10_000
/** A person reads no more lines than this of one turn; the turn itself goes on. */
const LINES_MAX = 20_000
const CHARS_MAX = 16 * 1024 * 1024

type Context = Rows & Pick<JobsContext, "written">

export class SessionLog {
  readonly #context: Context
  readonly #task: TaskId
  readonly #waiting: (AgentEvent & { readonly atMs: number })[] = []
  #timer: NodeJS.Timeout | undefined
  #lines = 0
  #chars = 0
  #isFull = false

  constructor(context: Context, task: TaskId) {
    this.#context = context
    this.#task = task
  }

  push(whole: AgentEvent): void {
    const event = whole.kind === "output" ? { ...whole, text: shortened(whole.text) } : whole
    if (event.kind === "text") this.#context.written.complete(this.#task)
    if (this.#isFull) return
    this.#lines += 1
    this.#chars += event.text.length
    this.#isFull = this.#lines >= LINES_MAX || this.#chars >= CHARS_MAX
    this.#add(event)
    if (this.#isFull) this.#add({ kind: "notice", text: "The rest of this turn's output is cut." })
  }

  #add(event: AgentEvent): void {
    this.#waiting.push({ ...event, atMs: this.#context.world.nowMs() })
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift()
    this.#flushIn(FLUSH_MS)
  }

  #flushIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.flush()
      } catch (error) {
        if (!isTransient(error)) throw error
        this.#flushIn(TRY_AGAIN_MS)
      }
    }, delayMs)
  }

  /** Flushes the log of a finished turn; the next turn starts with a fresh limit. */
  closeTurn(): void {
    this.flush()
    this.#context.written.clear(this.#task)
    this.#lines = 0
    this.#chars = 0
    this.#isFull = false
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = [...this.#waiting]
    if (lines.length === 0) {
      this.#context.written.record(this.#task)
      return
    }
    const { db } = this.#context
    transaction(db, () => {
      const turn = findOpenTurn(db, this.#task)?.n ?? 0
      for (const { kind, text, call = null, atMs } of lines)
        appendLog(db, { task: this.#task, turn, kind, text, call }, atMs)
    })
    this.#waiting.splice(0, lines.length)
    this.#context.written.record(this.#task)
  }
}

/** A person reads the start and the end of an output; the agent has all of it. */
const shortened = (text: string) => excerpt(text, (left) => `${left} characters are not kept`)
