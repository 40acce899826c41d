/**
 * Reads the spans that ended, from the events behind a cursor.
 *
 * It remembers the tasks that it met last, within a bound. For another one it reads that task's events again, so
 * nothing in memory is needed after a restart.
 */

import type { TaskId } from "../../base/ids.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import { listEvents } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { TaskTrace, type TraceSpan } from "./rules.ts"

/** A few of them end several spans each. */
const PAGE = 200
/** Each takes about a kilobyte. */
const TASKS_MAX = 500
const FOLLOWED = /^(task|job|session|turn|landing)\./
/** Agents report often, and it is no part of a span. */
const SMALL_TALK = "task.progress"

export type Batch = {
  readonly spans: readonly TraceSpan[]
  /** The last event that was read. */
  readonly seq: number
}

export class TraceReader {
  readonly #db: Db
  readonly #tasks = new Map<TaskId, TaskTrace>()
  #seq: number

  constructor(db: Db, seq: number) {
    this.#db = db
    this.#seq = seq
  }

  /** @returns undefined at the end of the events. */
  next(): Batch | undefined {
    const page = listEvents(this.#db, { after: this.#seq, limit: PAGE })
    const spans = page.flatMap((event) => this.#add(event))
    this.#seq = page.at(-1)?.seq ?? this.#seq
    return page.length === 0 ? undefined : { spans, seq: this.#seq }
  }

  #add(event: StoredEvent): readonly TraceSpan[] {
    const { task, type } = event
    if (task === null || !FOLLOWED.test(type) || type === SMALL_TALK) return []
    const trace = this.#tasks.get(task) ?? this.#read(task, event)
    this.#tasks.delete(task)
    this.#tasks.set(task, trace) // the latest is last
    const [oldest] = this.#tasks.keys()
    if (this.#tasks.size > TASKS_MAX && oldest !== undefined) this.#tasks.delete(oldest)
    return trace.add(event)
  }

  /** The task as it was before the event. */
  #read(task: TaskId, { seq: end, type }: StoredEvent): TaskTrace {
    const trace = new TaskTrace(task)
    let after = type === "task.created" ? end : 0
    while (after < end) {
      const page = listEvents(this.#db, { after, task, limit: PAGE })
      for (const event of page) if (event.seq < end) trace.add(event)
      after = page.at(-1)?.seq ?? end
    }
    return trace
  }
}
