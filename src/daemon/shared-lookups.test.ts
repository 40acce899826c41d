import dns from "node:dns"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { resolveBySystem } from "../features/containment/host-way.ts"
import { fetchBounded } from "../features/rest/fetch-bounded.ts"
import { http } from "../kernel/process/node-http.ts"
import { sharedByName, shareLookups } from "./shared-lookups.ts"

const { lookup } = dns
type Callback = (error: Error | null, found: dns.LookupAddress[]) => void
/** The names that the system was asked for, and an end to the wait for the slow one. */
let asked: string[]
let answerSlow: () => void

beforeEach(() => {
  asked = []
  vi.stubEnv("UV_THREADPOOL_SIZE", "4")
  const { promise, resolve } = Promise.withResolvers<void>()
  answerSlow = resolve
  dns.lookup = (async (...args: [string, ...unknown[]]) => {
    const [host] = args
    asked.push(host)
    if (host === "slow.example") await promise
    lookup("127.0.0.1", { all: true }, args.at(-1) as Callback)
  }) as unknown as typeof lookup
})
afterEach(() => {
  dns.lookup = lookup
  vi.unstubAllEnvs()
})

test("a name whose look-up hangs takes one thread for all that ask for it, and holds up no other name [30.20]", async () => {
  shareLookups()
  const server = createServer((_, answer) => answer.end("{}")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const ask = (host: string) => fetchBounded(`http://${host}:${port}`, {})
  const slow = [1, 2, 3].map(() => ask("slow.example"))
  const sent = http.get(`http://slow.example:${port}`)
  const answered = once(sent, "response")
  const signal = AbortSignal.abort()
  const [program, other] = [1, 2].map(() => resolveBySystem("slow.example", signal))
  expect((await ask("good.example")).status).toBe(200)
  // The clients of Node ask with hints, and the proxy of a contained program without.
  expect(asked.filter((host) => host === "slow.example")).toHaveLength(2)

  answerSlow()
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await program).toEqual(await other)
  ;(await answered)[0].resume()
  server.closeAllConnections()
  server.close()
})

test("a later look-up asks again, and options that differ get an answer of their own [30.20]", () => {
  const waiting: ((...found: unknown[]) => void)[] = []
  const shared = sharedByName((...args) => void waiting.push(args.at(-1) as () => void))
  const told: string[] = []
  const ask = (name: string, ...rest: unknown[]) =>
    shared("a.example", ...rest, (_: unknown, found: unknown) => told.push(`${name} ${found}`))
  ask("first")
  ask("joined")
  ask("IPv6", { family: 6 })
  waiting[0]!(null, "192.0.2.1")
  expect(told).toEqual(["first 192.0.2.1", "joined 192.0.2.1"])
  ask("later")
  expect(waiting).toHaveLength(3)
})
