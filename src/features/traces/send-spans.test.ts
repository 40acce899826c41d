/** Each answer of a collector says whether the spans are sent again. */
import { expect, test } from "vitest"
import { Collector } from "../../../test/support/collector.ts"
import { sendSpans } from "./send-spans.ts"
import { findTraceSettings } from "./settings.ts"

const NOTHING = Buffer.from('{"resourceSpans":[]}')

async function send(collector: Collector, env: Record<string, string> = {}) {
  const found = findTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env })
  if (found.kind !== "on") throw new Error("traces are off")
  const { signal } = new AbortController()
  return await sendSpans(found.settings, NOTHING, { nowMs: 1_000, signal })
}

const partly = (rejectedSpans: string) => JSON.stringify({ partialSuccess: { rejectedSpans } })

test.each([
  [
    { status: 429, headers: { "Retry-After": "7" } },
    { kind: "failed", retryAfterMs: 7_000 },
  ],
  [{ status: 502 }, { kind: "failed" }],
  [
    { status: 503, headers: { "Retry-After": "Thu, 01 Jan 1970 00:00:03 GMT" } },
    { kind: "failed", retryAfterMs: 2_000 },
  ],
  [{ status: 504 }, { kind: "failed" }],
  ["drop", { kind: "failed", text: "it cannot be reached" }],
  ["switch", { kind: "failed", text: "it cannot be reached" }],
  ["hang", { kind: "failed", text: "it does not answer in time" }],
  [{ status: 400 }, { kind: "refused", text: "it answered 400" }],
  [{ status: 500 }, { kind: "refused" }],
  [{ status: 307, headers: { Location: "http://127.0.0.1:1/" } }, { kind: "refused" }],
  [
    { status: 200, body: partly("3") },
    { kind: "refused", text: "it refuses 3 of them" },
  ],
  [{ status: 200, body: partly("0") }, { kind: "ok" }],
  [{ status: 202, body: "x".repeat(200_000) }, { kind: "ok" }],
] as const)("after %j it is %j [52.4]", async (failure, wanted) => {
  await using collector = await Collector.start()
  collector.failures.push(failure)
  const sent = await send(collector, { OTEL_EXPORTER_OTLP_TIMEOUT: "400" })
  expect(sent).toMatchObject(wanted)
  expect(collector.requests).toHaveLength(1)
  expect(await send(collector)).toEqual({ kind: "ok" })
})

test("a collector that is not there, and a certificate that cannot be read, are tried again [52.4]", async () => {
  const collector = await Collector.start()
  const env = { OTEL_EXPORTER_OTLP_CERTIFICATE: "/none.pem" }
  expect(await send(collector, env)).toMatchObject({ text: expect.stringContaining("CERTIFICATE") })
  const { url } = collector
  await collector[Symbol.asyncDispose]()
  expect(await send({ url } as Collector)).toMatchObject({ kind: "failed" })
})

test("the end of the daemon aborts a request that hangs [52.4]", async () => {
  await using collector = await Collector.start()
  collector.failures.push("hang")
  const found = findTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  if (found.kind !== "on") throw new Error("traces are off")
  const ending = new AbortController()
  const sending = sendSpans(found.settings, NOTHING, { nowMs: 0, signal: ending.signal })
  setTimeout(() => ending.abort(), 100)
  await expect(sending).rejects.toThrow("aborted")
})
