import type { LookupAddress } from "node:dns"
import { expect, test } from "vitest"
import { oneByOne } from "./host-way.ts"

test("one name is resolved at a time, and none for a client that is gone [43.28]", async () => {
  const found = Promise.withResolvers<LookupAddress[]>()
  const resolved: string[] = []
  const resolve = oneByOne(async (name) => {
    resolved.push(name)
    return await found.promise
  })
  const here = new AbortController().signal
  const leaving = new AbortController()
  const first = resolve("first.example.org", here)
  const gone = expect(resolve("gone.example.org", leaving.signal)).rejects.toThrow("aborted")
  const last = resolve("last.example.org", here)
  leaving.abort()
  await gone
  expect(resolved).toEqual(["first.example.org"])
  found.resolve([])
  await Promise.all([first, last])
  expect(resolved).toEqual(["first.example.org", "last.example.org"])
})

test("a name that does not resolve in time has no address, and holds up no other [43.28]", async () => {
  const found = [{ address: "203.0.113.7", family: 4 }]
  const resolve = oneByOne(
    (host) => (host === "slow" ? new Promise(() => {}) : Promise.resolve(found)),
    20,
  )
  const { signal } = new AbortController()
  const answers = await Promise.all([resolve("slow", signal), resolve("good", signal)])
  expect(answers).toEqual([[], found])
})
