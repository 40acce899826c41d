import { expect, test } from "vitest"
import { coversNetwork, isListed, type Network, portsOfMachine } from "./allowed-hosts.ts"
import { findHostFault, parsePlace, readHosts } from "./hosts.ts"

test.each([
  [
    "api.anthropic.com",
    ["api.anthropic.com:443", "API.Anthropic.com.:8443"],
    ["anthropic.com:443"],
  ],
  [
    "*.npmjs.org",
    ["registry.npmjs.org:443", "a.b.npmjs.org:80"],
    ["npmjs.org:443", "evilnpmjs.org:443"],
  ],
  ["example.com:8080", ["example.com:8080"], ["example.com:443", "example.com:80"]],
  ["10.0.0.5", ["10.0.0.5:80", "0x0a.5:80", "167772165:1"], ["10.0.0.6:80"]],
  ["[2606:4700::1]:443", ["[2606:4700:0::1]:443"], ["[2606:4700::1]:80", "[2606:4700::2]:443"]],
  [
    "localhost:11434",
    ["127.0.0.1:11434", "LOCALHOST:11434", "127.1:11434"],
    ["127.0.0.1:80", "127.0.0.2:11434"],
  ],
  ["bücher.example", ["xn--bcher-kva.example:443", "BÜCHER.example:443"], ["bucher.example:443"]],
])("the entry %s lists %j and not %j [43.21]", (entry, listed, others) => {
  expect(findHostFault(entry)).toBeUndefined()
  const rules = readHosts([entry])
  const isIn = (text: string) => {
    const place = parsePlace(text)
    return place !== undefined && isListed(rules, place)
  }
  expect(listed.filter((one) => !isIn(one))).toEqual([])
  expect(others.filter(isIn)).toEqual([])
})

test.each([
  ...["", "*", "https://example.com", "example.com/path", "user@example.com", "a b", "a%2eb"],
  ...["*.com", "*.10.0.0.5", "**.example.com", "a.*.com", "example.com:0", "example.com:70000"],
  ...[
    "127.0.0.1",
    "localhost",
    "0.0.0.0:80",
    "[::1]:80",
    "[::]:80",
    "::1",
    `${"a".repeat(300)}.org`,
  ],
])("%j is no entry of the list [43.25]", (entry) => {
  expect(findHostFault(entry)).toBeDefined()
})

test.each([
  "example.com",
  "*.example.com:443",
  "example.com:0",
  "a@b:80",
  "/x:80",
  ":80",
  "[x]:80",
])("no program can ask for %s [43.21]", (text) => {
  expect(parsePlace(text)).toBeUndefined()
})

test("ports of this machine are those of 127.0.0.1, once each [43.24]", () => {
  const rules = readHosts([
    "localhost:1",
    "127.0.0.1:1",
    "127.0.0.1:2",
    "127.0.0.2:3",
    "a.example:4",
  ])
  expect(portsOfMachine(rules)).toEqual([1, 2])
})

test("a network covers another that reaches no more [50.7]", () => {
  const npm = ["*.npmjs.org", "api.example"]
  const covers: readonly [Network, Network, boolean][] = [
    [true, npm, true],
    [true, true, true],
    [npm, true, false],
    [npm, false, true],
    [false, [], false],
    [npm, [], true],
    [npm, ["registry.npmjs.org:443"], true],
    [npm, ["*.a.npmjs.org", "api.example:80"], true],
    [npm, ["npmjs.org"], false],
    [["a.example:443"], ["a.example"], false],
    [["a.b.example"], ["*.a.b.example"], false],
  ]
  for (const [first, other, expected] of covers)
    expect([first, other, coversNetwork(first, other)]).toEqual([first, other, expected])
})
