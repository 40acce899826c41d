/** Requests to an API that speaks JSON, against a server of the test's own. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { RestClient } from "./client.ts"

const TOKEN = "token-of-robot"
const START_MS = Date.UTC(2026, 0, 1)

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function serve(answer: Answer, token: string | undefined = TOKEN) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  const clock = { nowMs: START_MS }
  const client = new RestClient({
    api,
    token: async () => token,
    authorize: (login) => ({ authorization: `Bearer ${login}` }),
    nowMs: () => clock.nowMs,
    keptMax: 2,
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  return { api, client, seen, clock, [Symbol.asyncDispose]: close }
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, headers).end(JSON.stringify(body))

test("a route is filled in: its own parts, then the query or the body", async () => {
  await using bench = await serve(async (request, response) => {
    const chunks = await request.toArray()
    json(response, 200, [request.method, request.url, Buffer.concat(chunks).toString()])
  })
  const { client, seen } = bench
  const get = await client.send("GET /projects/{project}/x", { project: "a/b", page: 2, q: "ä&b" })
  expect(get).toMatchObject({ data: ["GET", "/api/projects/a%2Fb/x?page=2&q=%C3%A4%26b", ""] })
  const put = await client.send("PUT /x/{id}", { id: 1, text: "?" })
  expect(put).toMatchObject({ data: ["PUT", "/api/x/1", '{"text":"?"}'] })
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  await expect(client.send("GET /x/{id}/y", { id: ".." })).rejects.toThrow(/only dots/)
})

test("an answer that has not changed is asked for conditionally", async () => {
  let unchanged = 0
  await using bench = await serve((request, response) => {
    if (request.headers["if-none-match"] === '"1"' && ++unchanged) response.writeHead(304).end()
    else json(response, 200, ["x"], { etag: '"1"', link: '<x>; rel="next"' })
  })
  const ask = () => bench.client.send("GET /x", {})
  for (const _ of [1, 2]) expect(await ask()).toEqual({ kind: "ok", data: ["x"], hasNext: true })
  expect(unchanged).toBe(1)
})

test.each(["per_page", "limit"])(
  "a last page that is full says when a next one is there (%s)",
  async (name) => {
    let link = {}
    await using bench = await serve((request, response) => {
      if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end()
      else json(response, 200, ["x", "y"], { etag: '"1"', ...link })
    })
    const ask = () => bench.client.send("GET /x", { [name]: 2 })
    expect(await ask()).toMatchObject({ hasNext: false })
    link = { link: '<x>; rel="next"' }
    expect(await ask()).toMatchObject({ hasNext: true })
  },
)

test.each<[string, number, object, object, number]>([
  ["retry-after", 429, { "retry-after": "90" }, {}, 90_000],
  ["seconds", 429, { "ratelimit-reset": String(START_MS / 1000 + 30) }, {}, 30_000],
  ["a date", 429, { "x-ratelimit-reset": new Date(START_MS + 5_000).toISOString() }, {}, 5_000],
  [
    "milliseconds",
    400,
    { "x-ratelimit-requests-reset": String(START_MS + 7_000) },
    { errors: [{ extensions: { code: "RATELIMITED" } }] },
    7_000,
  ],
  [
    "the limit of two that is reached",
    400,
    {
      "x-ratelimit-requests-remaining": "12",
      "x-ratelimit-requests-reset": String(START_MS + 3_000),
      "x-ratelimit-complexity-remaining": "0",
      "x-ratelimit-complexity-reset": String(START_MS + 9_000),
    },
    { errors: [{ extensions: { code: "RATELIMITED" } }] },
    9_000,
  ],
  ["nothing", 429, {}, {}, 60_000],
  ["next year", 429, { "retry-after": "31000000" }, {}, 61 * 60_000],
])("C16: no request is sent before a limit ends, given as %s", async (...given) => {
  const [, status, headers, body, inMs] = given
  let isLimited = true
  await using bench = await serve((_, response) =>
    isLimited ? json(response, status, body, headers) : json(response, 200, {}),
  )
  const { client, clock, seen } = bench
  const limited = { kind: "limited", untilMs: START_MS + inMs }
  expect(await client.send("GET /x", {})).toEqual(limited)
  isLimited = false
  expect(await client.send("GET /x", {})).toEqual(limited)
  expect(seen).toHaveLength(1)
  clock.nowMs += inMs
  expect(await client.send("GET /x", {})).toMatchObject({ kind: "ok" })
})

test.each<[string, Answer, object]>([
  ["5xx", (_, to) => json(to, 502, {}), { kind: "unavailable", why: "answers with 502" }],
  ["a broken connection", (_, to) => to.destroy(), { kind: "unavailable" }],
  [
    "a refusal",
    (_, to) => json(to, 403, { message: { title: ["too long"] }, error: "no" }),
    { kind: "refused", status: 403, message: "too long; no" },
  ],
  [
    "a page of HTML",
    (_, to) => to.writeHead(404).end("<html>"),
    { kind: "refused", status: 404, message: "" },
  ],
])("%s is told apart, and no reply holds the token", async (_, answer, reply) => {
  await using bench = await serve(answer)
  const got = await bench.client.send("GET /x", {})
  expect(got).toMatchObject(reply)
  expect(JSON.stringify(got)).not.toContain(TOKEN)
})

test("no error of the network has the address, which may hold a password [42.14]", async () => {
  for (const api of ["https://bob:s3cret@127.0.0.1:1/api", "http://127.0.0.1:1/s3cret"]) {
    const at = { api, token: async () => TOKEN, nowMs: Date.now, keptMax: 2 }
    const reply = await new RestClient({ ...at, authorize: () => ({}) }).send("GET /x", {})
    expect(reply).toMatchObject({ kind: "unavailable", why: /^does not answer: / })
    expect(JSON.stringify(reply)).not.toContain("s3cret")
  }
})

test("no redirect is followed: a token goes only to its own address", async () => {
  await using other = await serve((_, response) => json(response, 200, {}))
  await using bench = await serve((_, response) =>
    response.writeHead(302, { location: other.api }).end(),
  )
  expect(await bench.client.send("GET /x", {})).toMatchObject({ kind: "refused", status: 302 })
  expect(other.seen).toEqual([])
})

test("an answer without end is cut off", async () => {
  await using bench = await serve((_, response) => {
    const more = () => void response.write("x".repeat(1024 * 1024), (error) => error || more())
    response.writeHead(200)
    more()
  })
  expect(await bench.client.send("GET /x", {})).toMatchObject({ kind: "unavailable" })
})

test.each(["two words", "töken", ""])("%j is no token, and is not sent", async (token) => {
  await using bench = await serve((_, response) => json(response, 200, {}), token)
  expect(await bench.client.send("GET /x", {})).toEqual({ kind: "no_login" })
  expect(bench.seen).toEqual([])
})
