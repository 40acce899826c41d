import { expect, test } from "vitest"
import { listConfigKeys } from "./keys.ts"
import { parseConfig } from "./parse.ts"

test.each([
  ["api.anthropic.com", "network", /must be true, false, or a list of hosts/],
  ['["a.example", "*.com"]', "network.1", /too many hosts/],
  ['["https://a.example"]', "network.0", /must be a host/],
  ["[127.0.0.1]", "network.0", /needs a port/],
])("`network: %s` is refused at %s [43.25]", (network, path, message) => {
  const text = `version: 1\nagents: { a: { containment: sandbox, contained: { network: ${network} } } }`
  expect(parseConfig(text, {}, "app")).toMatchObject({
    problems: [{ path: `agents.a.contained.${path}`, message: expect.stringMatching(message) }],
  })
})

test("an unknown key inside a list is named with the keys that the list's entries take", () => {
  const hooks =
    "{ before_run: [{ command: x, bogus: 1 }], after_run: [{ command: x, on_event: [] }] }"
  const text = `version: 1\nagents: { coder: { hooks: ${hooks} } }`
  expect(parseConfig(text, {}, "app")).toMatchObject({
    problems: [
      {
        path: "agents.coder.hooks.before_run.0.bogus",
        message:
          "is not a known key: there are command, url, headers, secret, when, timeout, continue_on_error",
      },
      {
        path: "agents.coder.hooks.after_run.0.on_event",
        message: "is not a known key: did you mean `on_events`?",
      },
    ],
  })
})

test("each key that is written with a letter too much is named with the one that is meant [31.2]", () => {
  const paths = listConfigKeys().map(({ path }) => path.split("."))
  const silent = paths.flatMap((path) => {
    const last = path.at(-1) ?? ""
    if (last === "*") return []
    const steps = [...path.slice(0, -1).map((step) => (step === "*" ? "x" : step)), `${last}s`]
    const file = steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), "1")
    const parsed = parseConfig(JSON.stringify({ version: 1, ...Object(file) }), {}, "app")
    const told = parsed.kind === "ok" ? [] : parsed.problems
    const isTold = told.some(({ message }) => message.includes(`did you mean \`${last}\`?`))
    return isTold ? [] : [steps.join(".")]
  })
  expect([paths.length > 200, silent]).toEqual([true, []])
})
