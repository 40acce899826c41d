/**
 * Reads where traces go, from OpenTelemetry's own variables in the daemon's environment.
 *
 * No coppice.yml names a collector: it comes with the repository, and the traces are the person's.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { http } from "../../kernel/process/node-http.ts"

export type TraceSettings = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly isCompressed: boolean
  /** Paths of PEM files. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** The attributes of the resource. */
  readonly resource: Readonly<Record<string, string>>
}

export type FoundSettings =
  | { readonly kind: "off" }
  /** `text`: a sentence for a person, without any value. */
  | { readonly kind: "wrong"; readonly text: string }
  | { readonly kind: "on"; readonly settings: TraceSettings }

type Env = Readonly<Record<string, string | undefined>>

const TIMEOUT_MS = 10_000
/** A longer one would hide that the collector is down. */
const TIMEOUT_MS_MAX = 60_000

export function findTraceSettings(env: Env): FoundSettings {
  const exporters = read(env, "OTEL_TRACES_EXPORTER")?.split(",") ?? ["otlp"]
  const isOff = read(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true"
  if (isOff || !exporters.some((name) => name.trim() === "otlp")) return { kind: "off" }
  const endpoint = findEndpoint(env)
  if (endpoint === undefined) return { kind: "off" }
  if (ofOtlp(env, "PROTOCOL") === "grpc")
    return wrong("OTEL_EXPORTER_OTLP_PROTOCOL is `grpc`, and Coppice sends JSON over HTTP alone")
  const url = URL.parse(endpoint.text)
  if (!url || !/^https?:$/.test(url.protocol))
    return wrong(`${endpoint.name} is not an address that begins with http:// or https://`)
  try {
    const settings = { url, headers: headersOf(env), ...limitsOf(env), resource: resourceOf(env) }
    return { kind: "on", settings: { ...settings, tls: tlsOf(env) } }
  } catch {
    return wrong(
      "OTEL_EXPORTER_OTLP_HEADERS, or OTEL_RESOURCE_ATTRIBUTES, is not a list of name=value",
    )
  }
}

const wrong = (text: string): FoundSettings => ({ kind: "wrong", text: `Traces are off: ${text}.` })

const read = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

/** The variable for traces, else that for all signals. */
const ofOtlp = (env: Env, name: string): string | undefined =>
  read(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(env, `OTEL_EXPORTER_OTLP_${name}`)

/** The variable for traces is the whole address; the one for all signals gets a path. */
function findEndpoint(env: Env): { readonly name: string; readonly text: string } | undefined {
  const [own, all] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
  const whole = read(env, own)
  if (whole !== undefined) return { name: own, text: whole }
  const base = read(env, all)
  return base === undefined
    ? undefined
    : { name: all, text: `${base.replace(/\/+$/, "")}/v1/traces` }
}

function headersOf(env: Env): Record<string, string> {
  const all = readList(read(env, "OTEL_EXPORTER_OTLP_HEADERS"))
  const headers = { ...all, ...readList(read(env, "OTEL_EXPORTER_OTLP_TRACES_HEADERS")) }
  for (const [name, value] of Object.entries(headers)) {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
  }
  return headers
}

function limitsOf(env: Env): Pick<TraceSettings, "timeoutMs" | "isCompressed"> {
  const ms = Number(ofOtlp(env, "TIMEOUT"))
  const timeoutMs = ms > 0 ? Math.min(ms, TIMEOUT_MS_MAX) : TIMEOUT_MS
  return { timeoutMs, isCompressed: ofOtlp(env, "COMPRESSION") === "gzip" }
}

function tlsOf(env: Env): TraceSettings["tls"] {
  const [ca, cert] = [ofOtlp(env, "CERTIFICATE"), ofOtlp(env, "CLIENT_CERTIFICATE")]
  const key = ofOtlp(env, "CLIENT_KEY")
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

function resourceOf(env: Env): Record<string, string> {
  const name = read(env, "OTEL_SERVICE_NAME")
  const named = readList(read(env, "OTEL_RESOURCE_ATTRIBUTES"))
  return { "service.name": "coppice", ...named, ...(name && { "service.name": name }) }
}

/** `name=value,name=value`, percent-encoded. @throws if it is something else. */
function readList(text = ""): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "")
  const entries = pairs.map((pair) => {
    const at = pair.indexOf("=")
    if (at < 1) throw new Error("a name=value is expected")
    return [pair.slice(0, at), pair.slice(at + 1)].map((part) => decodeURIComponent(part.trim()))
  })
  return Object.fromEntries(entries)
}
