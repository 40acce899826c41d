/**
 * The ids of traces and spans, made of the home and the keys of spans: the same after every crash, in every daemon.
 *
 * @see https://www.w3.org/TR/trace-context/#trace-id
 */
import { createHash } from "node:crypto"
import type { TaskId } from "../../base/ids.ts"
import { traceKeys } from "./rules.ts"

/** In hex digits, as W3C and OpenTelemetry have them. */
const TRACE_ID_DIGITS = 32
const SPAN_ID_DIGITS = 16

export class TraceIds {
  readonly #home: string

  /** @param home a text that no other home has. */
  constructor(home: string) {
    this.#home = home
  }

  /** A task has one trace. */
  trace(task: TaskId): string {
    return this.#hash(`trace of ${traceKeys.task(task)}`).slice(0, TRACE_ID_DIGITS)
  }

  span(key: string): string {
    return this.#hash(`span of ${key}`).slice(0, SPAN_ID_DIGITS)
  }

  /** Tells which home it is, and nothing else about it. */
  get instance(): string {
    return this.#hash("instance").slice(0, TRACE_ID_DIGITS)
  }

  #hash(text: string): string {
    return createHash("sha256").update(`${this.#home}\n${text}`).digest("hex")
  }
}
