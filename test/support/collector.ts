/**
 * A collector of traces (OTLP over HTTP, JSON), on loopback. It keeps what it takes, and refuses what the protocol
 * does not allow. Failures can be switched on.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { z } from "zod"
import { waitFor } from "./wait-for.ts"

const value = z.strictObject({
  stringValue: z.string().optional(),
  intValue: z.int().optional(),
  doubleValue: z.number().optional(),
})
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }))
const traceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/)
const spanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/)
const nanoseconds = z.string().regex(/^\d{19}$/)
const none = z.array(z.never())
const link = z.looseObject({ traceId, spanId })
const written = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.literal(1),
    flags: z.int(),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    links: z.array(link),
    events: none,
    status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]) }),
    droppedAttributesCount: z.literal(0),
    droppedEventsCount: z.literal(0),
    droppedLinksCount: z.literal(0),
  })
  .refine((span) => span.startTimeUnixNano <= span.endTimeUnixNano)
const scope = z.strictObject({ name: z.literal("coppice"), version: z.string() })
const body = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: z.literal(0) }),
      scopeSpans: z.array(z.strictObject({ scope, spans: z.array(written) })),
    }),
  ),
})

type Attributes = Readonly<Record<string, string | number>>
type Written = z.infer<typeof written>
export type Span = Omit<Written, "attributes"> & { readonly attributes: Attributes }

/**
 * Instead of taking the spans: an answer, no answer (`hang`), another protocol (`switch`), or a broken connection
 * (`drop`). Or it takes them, and its answer never comes (`stall`) or is lost (`lose`).
 */
type Failure =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang"
  | "switch"
  | "drop"
  | "stall"
  | "lose"

const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"

export class Collector implements AsyncDisposable {
  /** The next answers; then 200. */
  readonly failures: Failure[] = []
  /** Each request, whatever came of it. */
  readonly requests: {
    readonly headers: IncomingMessage["headers"]
    readonly text: string
    readonly atMs: number
  }[] = []
  /** The spans that it has taken, in order, with repetitions. */
  readonly taken: Span[] = []
  resource: Attributes = {}
  /** The offences against the protocol. */
  readonly faults: unknown[] = []
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      this.faults.push(error)
      response.writeHead(400).end()
    })
  })

  static async start(port = 0): Promise<Collector> {
    const collector = new Collector()
    collector.#server.listen(port, "127.0.0.1")
    await once(collector.#server, "listening")
    return collector
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = Buffer.concat(await request.toArray())
    const isZipped = request.headers["content-encoding"] === "gzip"
    const text = (isZipped ? gunzipSync(parts) : parts).toString()
    this.requests.push({ headers: request.headers, text, atMs: Date.now() })
    const failure = this.failures.shift()
    if (failure === "hang") return
    if (failure === "switch") return void request.socket.write(SWITCH)
    if (failure === "drop") return void response.destroy()
    if (typeof failure === "object")
      return void response
        .writeHead(failure.status, failure.headers)
        .end(failure.body ?? "an answer")
    if (request.method !== "POST" || request.url !== "/v1/traces")
      throw new Error(`${request.method} ${request.url}`)
    if (request.headers["content-type"] !== "application/json") throw new Error("not JSON")
    this.#take(body.parse(JSON.parse(text)))
    if (failure === "stall") return
    if (failure === "lose") return void response.destroy()
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}")
  }

  #take({ resourceSpans }: z.infer<typeof body>): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resource = read(resource.attributes)
      for (const { spans } of scopeSpans)
        this.taken.push(...spans.map((span) => ({ ...span, attributes: read(span.attributes) })))
    }
  }

  /** Each span once. @throws if one came twice, and not the same. */
  get spans(): Span[] {
    const byId = new Map<string, Span>()
    for (const span of this.taken) {
      const known = byId.get(span.spanId)
      if (known && JSON.stringify(known) !== JSON.stringify(span))
        throw new Error(`one span in two forms: ${JSON.stringify([known, span])}`)
      byId.set(span.spanId, span)
    }
    return [...byId.values()]
  }

  /** The spans once a span of this name, and with these attributes, is there. */
  async until(name: string, wanted: Attributes = {}): Promise<Span[]> {
    const isWanted = (span: Span) =>
      span.name === name &&
      Object.entries(wanted).every(([key, value]) => span.attributes[key] === value)
    return await waitFor(`the span ${name}`, () => this.taken.some(isWanted) && this.spans, 60_000)
  }

  /** The names of the spans, indented below their parents, in the order of their beginnings. */
  tree(): string[] {
    const { spans } = this
    const order = (one: Span, other: Span) =>
      Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano))
    const below = (parent: string | undefined, depth: number): string[] =>
      spans
        .filter(({ parentSpanId }) => parentSpanId === parent)
        .sort(order)
        .flatMap((span) => [
          `${"  ".repeat(depth)}${span.name}${span.status.code === 2 ? " !" : ""}`,
          ...below(span.spanId, depth + 1),
        ])
    return below(undefined, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

function read(list: z.infer<typeof attributes>): Attributes {
  const entries = list.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
    key,
    stringValue ?? intValue ?? doubleValue ?? "",
  ])
  return Object.fromEntries(entries)
}
