/**
 * Sends a request to a collector (OTLP over HTTP), once.
 *
 * The address and the headers may hold secrets, so no result has them. Redirects are not followed.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 */
import { gzipSync } from "node:zlib"
import { readSmall } from "../../api/client/read-small.ts"
import { http, https } from "../../kernel/process/node-http.ts"
import { readRetryAfter } from "../hooks/send-request.ts"
import type { TraceSettings } from "./settings.ts"

export type SentSpans =
  | { readonly kind: "ok" }
  /** `retryAfterMs`: as the collector asks. */
  | { readonly kind: "failed"; readonly text: string; readonly retryAfterMs?: number | undefined }
  /** The collector does not want these spans, so they must not be sent again. */
  | { readonly kind: "refused"; readonly text: string }

/** As the protocol says; every other failure is final. */
const TEMPORARY = [429, 502, 503, 504]
/** A success has a few words, if any. */
const ANSWER_BYTES_MAX = 64 * 1024

/** @throws only when `signal` aborts. */
export async function sendSpans(
  settings: TraceSettings,
  body: Buffer,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<SentSpans> {
  const limit = AbortSignal.timeout(settings.timeoutMs)
  const files = readFiles(settings.tls)
  if (!files)
    return {
      kind: "failed",
      text: "a file of OTEL_EXPORTER_OTLP_…CERTIFICATE or _KEY cannot be read",
    }
  try {
    const until = AbortSignal.any([signal, limit])
    const { status, retryAfter, text } = await post(settings, { body, files }, until)
    if (200 <= status && status <= 299) return readSuccess(text)
    const said = `it answered ${status}`
    if (!TEMPORARY.includes(status)) return { kind: "refused", text: said }
    return { kind: "failed", text: said, retryAfterMs: readRetryAfter(retryAfter, nowMs) }
  } catch {
    signal.throwIfAborted()
    const text = limit.aborted ? "it does not answer in time" : "it cannot be reached"
    return { kind: "failed", text }
  }
}

type Files = { readonly [Name in keyof TraceSettings["tls"]]: string }

/** Read each time: certificates are renewed. @returns undefined if one cannot be read. */
function readFiles(tls: TraceSettings["tls"]): Files | undefined {
  try {
    return Object.fromEntries(Object.entries(tls).map(([name, path]) => [name, readSmall(path)]))
  } catch {
    return undefined
  }
}

type Answer = { readonly status: number; readonly retryAfter: string | null; readonly text: string }

async function post(
  { url, headers, isCompressed }: TraceSettings,
  { body, files }: { readonly body: Buffer; readonly files: Files },
  signal: AbortSignal,
): Promise<Answer> {
  const sentBody = isCompressed ? gzipSync(body) : body
  const options = {
    method: "POST",
    signal,
    headers: {
      "User-Agent": "coppice",
      ...headers,
      "Content-Type": "application/json",
      "Content-Length": sentBody.length,
      ...(isCompressed && { "Content-Encoding": "gzip" }),
    },
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent =
    url.protocol === "https:"
      ? https.request(url, { ...options, ...files })
      : http.request(url, options)
  let isAnswered = false
  sent.on("error", reject)
  sent.on("close", () => {
    // After a `101` there is neither an answer nor an error.
    if (!isAnswered) reject(new Error("it closed the connection without an answer"))
  })
  sent.on("response", (answer) => {
    isAnswered = true
    const { statusCode: status = 0, headers: told } = answer
    let text = ""
    answer.setEncoding("utf8")
    answer.on("data", (part: string) => {
      text += part
      if (text.length > ANSWER_BYTES_MAX) answer.destroy()
    })
    answer.on("error", () => {}) // `close` follows
    answer.on("close", () => {
      if (signal.aborted) reject(signal.reason)
      else resolve({ status, retryAfter: told["retry-after"] ?? null, text })
    })
  })
  sent.end(sentBody)
  return await promise
}

/** A collector may take a request, and refuse some of its spans. */
function readSuccess(text: string): SentSpans {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } }
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    return rejected > 0
      ? { kind: "refused", text: `it refuses ${rejected} of them` }
      : { kind: "ok" }
  } catch {
    return { kind: "ok" } // no answer that says anything
  }
}
