import { expect, test } from "vitest"
import { findTraceSettings } from "./settings.ts"

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://c.example/otlp/" }

function settingsOf(env: Record<string, string>) {
  const found = findTraceSettings(env)
  return found.kind === "on" ? { ...found.settings, url: found.settings.url.href } : found
}

test("the variables of OpenTelemetry say where traces go, and those for traces alone win", () => {
  expect(settingsOf(ENDPOINT)).toEqual({
    url: "https://c.example/otlp/v1/traces",
    headers: {},
    timeoutMs: 10_000,
    isCompressed: false,
    tls: {},
    resource: { "service.name": "coppice" },
  })
  const all = {
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=one%20two, x=1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
    OTEL_SERVICE_NAME: "fleet",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,host.name=h%2C1",
  }
  const own = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c.example/own",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=2",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "999999",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip",
  }
  expect(settingsOf({ ...ENDPOINT, ...all, ...own })).toEqual({
    url: "http://c.example/own",
    headers: { "api-key": "one two", x: "2" },
    timeoutMs: 60_000,
    isCompressed: true,
    tls: { ca: "/ca.pem" },
    resource: { "service.name": "fleet", "host.name": "h,1" },
  })
})

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: " " },
  { ...ENDPOINT, OTEL_SDK_DISABLED: "True" },
  { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" },
  { ...ENDPOINT, OTEL_TRACES_EXPORTER: "console, zipkin" },
])("traces are off with %j [52.6]", (env) => {
  expect(findTraceSettings(env)).toEqual({ kind: "off" })
})

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: "secret-host:4318" },
  { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "secret" },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "secret" },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "a=secret%0d%0ab" },
  { ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES: "a=secret%" },
])("the mistake in %j is named without its value [52.5]", (env) => {
  const found = findTraceSettings(env)
  expect(found).toMatchObject({
    kind: "wrong",
    text: expect.stringMatching(/^Traces are off: OTEL_/),
  })
  expect(JSON.stringify(found)).not.toContain("secret")
})
