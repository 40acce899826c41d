import fc from "fast-check"
import { expect, test } from "vitest"
import { HidingStream, hide, hideIn } from "./hide.ts"
import { credentialsOf, credentialsOfServer } from "./redact.ts"

const KEY = "sk-ant-0123456789abcdef"

test("credentials are known by the names of their variables, in headers, and in addresses [29.5]", () => {
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_MODEL: "claude-sonnet-4-5",
    ANTHROPIC_CUSTOM_HEADERS: "X-Api-Key: first-secret-11\nAuthorization: Bearer second-secret-22",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=third%2Dsecret%2D33",
    HTTPS_PROXY: "http://ada:proxy%2Dsecret%2D44@proxy.example:8080",
    DATABASE_URL: "postgres://app:Database-secret5@localhost/app",
    DEPLOY_KEY: "-----BEGIN KEY-----\nb64OfTheKey0123\n-----END KEY-----\n",
    SHORT_TOKEN: "test",
    HOME: "/home/ada",
  }
  const known = credentialsOf(env)
  const inLists = ["first-secret-11", "second-secret-22", "third-secret-33", "proxy-secret-44"]
  expect(known).toEqual(expect.arrayContaining(inLists))
  expect(known).toEqual(expect.arrayContaining([KEY, "Database-secret5", "b64OfTheKey0123"]))
  const settings = "claude-sonnet-4-5 by http://proxy.example:8080 in /home/ada: a test"
  expect(hide(settings, known)).toBe(settings)
})

test.each([
  ["POSTGRES_PASSWORD", "postgres"],
  ["DATABASE_PASSWORD", "password"],
  ["PRIMARY_KEY", "customer_id"],
  ["SORT_KEY", "created_at"],
  ["SSH_KEY", "/home/ada/.ssh/id_ed25519"],
  ["API_TOKEN", "https://tokens.example/v1/2026"],
  ["GREETING_SECRET", "the 12 monkeys of 1995"],
  ["DATABASE_URL", "postgres://postgres:postgres@localhost/app"],
  ["ANTHROPIC_CUSTOM_HEADERS", "Content-Type: application/json\nX-Env: production-2026-11"],
])("words of the work are no credentials: %s=%s [29.5]", (name, value) => {
  expect(credentialsOf({ [name]: value })).toEqual([])
})

test.each([
  "ghp_0123456789abcdefghijABCDEFGHIJ012345",
  "AKIAIOSF0DNN7EXAMPLE",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "5f4dcc3b5aa765d61d8327deb882cf99",
  "123e4567-e89b-12d3-a456-426614174000",
  "hunter2hunter2",
])("a random value is one: %s [29.5]", (value) => {
  expect(credentialsOf({ DEPLOY_TOKEN: value })).toEqual([value])
})

test("variables, headers and addresses of MCP servers have credentials too [29.5]", () => {
  const headers = { Authorization: "Bearer mcp-token-1234", "X-Team": "platform-2026-11" }
  const known = credentialsOfServer(headers, "https://ada:Pass-word1@mcp.example")
  expect(known).toEqual(expect.arrayContaining(["Pass-word1", "mcp-token-1234"]))
  expect(known.join()).not.toContain("platform")
  expect(credentialsOfServer({ GITHUB_TOKEN: "ghp_0123456789ab" }, "")).toContain(
    "ghp_0123456789ab",
  )
})

test("a value is taken out everywhere, also where it is cut off at the start or the end [29.5]", () => {
  expect(hide(`one ${KEY} two ${KEY}.`, [KEY])).toBe("one [redacted] two [redacted].")
  expect(hide(`curl -H ${KEY.slice(0, 12)}…`, [KEY])).toBe("curl -H [redacted]…")
  expect(hide("it begins with sk-", [KEY])).toBe("it begins with sk-")
  expect(hide("to production", ["production-8f14e45fceea"])).toBe("to production")
  expect(hide(`[…]${KEY.slice(6)} is set`, [KEY])).toBe("[…][redacted] is set")
  const document = { text: KEY, list: [{ deep: `a ${KEY}` }, 1, null], isSet: true }
  const hidden = { text: "[redacted]", list: [{ deep: "a [redacted]" }, 1, null], isSet: true }
  expect(hideIn(document, [KEY])).toEqual(hidden)
})

test("a text in pieces never shows a part of a value [29.5]", () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
  const words = fc.array(fc.constantFrom("a", " ", "sk-", KEY, KEY.slice(0, 9), "\n"))
  fc.assert(
    fc.property(words, cuts, (parts, sizes) => {
      const whole = parts.join("")
      const stream = new HidingStream([KEY])
      let shown = ""
      for (let at = 0, n = 0; at < whole.length; n++) {
        const size = sizes[n % sizes.length]!
        shown += stream.push(whole.slice(at, at + size))
        at += size
      }
      const all = whole.replaceAll(KEY, "[redacted]")
      expect(all.startsWith(shown)).toBe(true)
      expect(KEY.startsWith(all.slice(shown.length))).toBe(true)
    }),
  )
})
