/** Writes spans as the body of an OTLP request, in JSON. Loaded when traces are on. */
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { TraceSpan } from "./rules.ts"
import type { TraceIds } from "./trace-ids.ts"

type Written = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number]
type Context = ReturnType<Written["spanContext"]>

export type Encoding = {
  readonly ids: TraceIds
  readonly version: string
  readonly resource: Readonly<Record<string, string>>
}

const SAMPLED = 1
const INTERNAL = 0
const UNSET = 0
const ERROR = 2

export function encodeSpans(
  spans: readonly TraceSpan[],
  { ids, version, resource }: Encoding,
): Buffer {
  const attributes = {
    "service.version": version,
    "service.instance.id": ids.instance,
    ...resource,
  }
  const shared = {
    resource: resourceFromAttributes(attributes),
    instrumentationScope: { name: "coppice", version },
  }
  const written = spans.map((span) => ({ ...writeSpan(span, ids), ...shared }))
  return Buffer.from(JsonTraceSerializer.serializeRequest(written) ?? [])
}

function writeSpan(
  { task, key, parent, name, startMs, endMs, attributes, error, links }: TraceSpan,
  ids: TraceIds,
): Omit<Written, "resource" | "instrumentationScope"> {
  const contextOf = (of: TraceSpan["task"], ofKey: string): Context => ({
    traceId: ids.trace(of),
    spanId: ids.span(ofKey),
    traceFlags: SAMPLED,
  })
  return {
    name,
    kind: INTERNAL,
    spanContext: () => contextOf(task, key),
    ...(parent !== null && { parentSpanContext: contextOf(task, parent) }),
    startTime: time(startMs),
    endTime: time(endMs),
    duration: time(endMs - startMs),
    status: { code: error === null ? UNSET : ERROR },
    attributes: { ...attributes, ...(error !== null && { "error.type": error }) },
    links: links.map((other) => ({ context: contextOf(other, `task ${other}`) })),
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** Seconds, and nanoseconds. */
const time = (ms: number): [number, number] => [Math.trunc(ms / 1000), (ms % 1000) * 1_000_000]
