/**
 * Sends the facts of an event to a web server, signed.
 *
 * The receiver may get an event twice: `Coppice-Delivery` is the same each time.
 */
import { createHmac } from "node:crypto"
import type { HookConfig } from "./rules.ts"

export type Sent =
  | { readonly kind: "ok"; readonly status: number }
  /** `retryAfterMs`: as the server asks. */
  | { readonly kind: "failed"; readonly text: string; readonly retryAfterMs?: number }
  /** The server refuses the request: a repetition would not help. */
  | { readonly kind: "refused"; readonly text: string; readonly status: number }

export type Delivery = {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly nowMs: number
  readonly signal: AbortSignal
}

/** A server that asks for more patience waits no longer than this. */
const RETRY_AFTER_MS_MAX = 60 * 60_000
const TEMPORARY = [408, 425, 429]

/** Neither the address nor a header is part of the result: they may hold secrets. */
export async function sendEvent(hook: HookConfig, delivery: Delivery): Promise<Sent> {
  const { body, signal } = delivery
  try {
    const answer = await fetch(hook.url ?? "", {
      method: "POST",
      body,
      redirect: "manual",
      headers: headersOf(hook, delivery),
      signal: AbortSignal.any([signal, AbortSignal.timeout(hook.timeoutMs)]),
    })
    await answer.body?.cancel()
    const retryAfter = answer.headers.get("retry-after")
    return sentOf({ status: answer.status, retryAfter }, delivery.nowMs)
  } catch (error) {
    return unsent(error, signal)
  }
}

type Answer = { readonly status: number; readonly retryAfter: string | null }

export function sentOf({ status, retryAfter }: Answer, nowMs: number): Sent {
  if (200 <= status && status <= 299) return { kind: "ok", status }
  const text = `the server answered ${status}`
  if (status < 500 && !TEMPORARY.includes(status)) return { kind: "refused", text, status }
  const retryAfterMs = readRetryAfter(retryAfter, nowMs)
  return { kind: "failed", text, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** @param signal of the daemon: it throws when that ends. */
export function unsent(error: unknown, signal: AbortSignal): Sent {
  signal.throwIfAborted()
  const name = error instanceof Error && (error.cause instanceof Error ? error.cause : error).name
  return {
    kind: "failed",
    text:
      name === "TimeoutError"
        ? "the server did not answer in time"
        : "the server cannot be reached",
  }
}

function headersOf({ headers, secret }: HookConfig, { id, type, body, nowMs }: Delivery) {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signed = (key: string) =>
    createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex")
  // One that is set again replaces the earlier one, in whatever case either is written.
  const all = new Headers({ "Content-Type": "application/json", "User-Agent": "coppice" })
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  all.set("Coppice-Delivery", id)
  all.set("Coppice-Event", type)
  all.set("Coppice-Timestamp", timestamp)
  if (secret !== undefined) all.set("Coppice-Signature", `sha256=${signed(secret)}`)
  return all
}

/** Seconds, or a date. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX) : undefined
}
