import fc from "fast-check"
import { expect, test } from "vitest"
import { credentialsOf, HidingStream, hide, hideIn } from "./redact.ts"

const KEY = "sk-ant-0123456789abcdef"

test("credentials are known by the names of their variables, in headers, and in addresses [29.5]", () => {
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_MODEL: "claude-sonnet-4-5",
    ANTHROPIC_CUSTOM_HEADERS: "X-One: first-secret\nAuthorization: Bearer second-secret",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=third%20secret",
    HTTPS_PROXY: "http://ada:proxy%2Dsecret@proxy.example:8080",
    DATABASE_URL: "postgres://app:database-secret@localhost/app",
    DEPLOY_KEY: "-----BEGIN KEY-----\nbase64-of-the-key\n",
    SHORT_TOKEN: "test",
    HOME: "/home/ada",
  }
  const known = credentialsOf(env)
  for (const secret of ["first-secret", "second-secret", "third secret", "proxy-secret"])
    expect(known).toContain(secret)
  expect(known).toEqual(expect.arrayContaining([KEY, "database-secret", "base64-of-the-key"]))
  const settings = "claude-sonnet-4-5 by http://proxy.example:8080 in /home/ada: a test"
  expect(hide(settings, known)).toBe(settings)
})

test("a value is taken out everywhere, also where it is cut off at the end [29.5]", () => {
  expect(hide(`one ${KEY} two ${KEY}.`, [KEY])).toBe("one [redacted] two [redacted].")
  expect(hide(`curl -H ${KEY.slice(0, 12)}…`, [KEY])).toBe("curl -H [redacted]…")
  expect(hide("it begins with sk-", [KEY])).toBe("it begins with sk-")
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
