import { expect, test } from "vitest"
import { fnv1a } from "./hash.ts"

test.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("the hash of %j is the one that the specification gives", (text, hash) => {
  expect(fnv1a(text)).toBe(hash)
})

test("a hash has 16 digits, whatever it begins with, and letters beyond ASCII count", () => {
  const texts = Array.from({ length: 500 }, (_, n) => `/home/é/${n}`)
  const hashes = texts.map(fnv1a)
  expect(hashes.filter((hash) => !/^[0-9a-f]{16}$/.test(hash))).toEqual([])
  expect(new Set(hashes).size).toBe(texts.length)
  expect(fnv1a("/home/é")).not.toBe(fnv1a("/home/e"))
})
