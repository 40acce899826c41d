import type { LookupAddress } from "node:dns"
import { expect, test } from "vitest"
import { readHosts } from "../core/containment/hosts.ts"
import { findWay, oneByOne } from "./host-way.ts"

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

test("a name that does not resolve in time is refused, with the time [43.28]", async () => {
  const place = { host: "a.example.org", port: 443 }
  const way = await findWay(readHosts(["a.example.org"]), place, () => new Promise(() => {}), 20)
  expect(way).toMatchObject({ refused: "refused: a.example.org has no address after 0.02 s" })
})
