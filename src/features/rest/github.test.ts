/** Requests to GitHub's API, against a server of the test's own. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { gitHubClient } from "./github.ts"

const TOKEN = "token-of-robot"

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function serve(answer: Answer) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = gitHubClient({ api, token: async () => TOKEN, nowMs: Date.now, keptMax: 2 })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  return { api, client, seen, [Symbol.asyncDispose]: close }
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body))

test("an answer without end is cut off", async () => {
  await using bench = await serve((_, response) => {
    const more = () => void response.write("x".repeat(1024 * 1024), (error) => error || more())
    response.writeHead(200)
    more()
  })
  expect(await bench.client.send("GET /x", {})).toMatchObject({
    kind: "unavailable",
    why: expect.stringContaining("larger than it may be"),
  })
})

test("an answer that breaks off is none", async () => {
  await using bench = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "10" })
    response.write("[1]", () => response.destroy())
  })
  expect(await bench.client.send("GET /x", {})).toMatchObject({ kind: "unavailable" })
})

test("the message of a refusal is bounded", async () => {
  await using bench = await serve((_, response) =>
    json(response, 422, { message: "no", errors: Array(100_000).fill({ message: "again" }) }),
  )
  const reply = await bench.client.send("POST /x", {})
  expect(reply).toMatchObject({ kind: "refused", status: 422 })
  expect(JSON.stringify(reply).length).toBeLessThan(1_000)
})

test("a redirect within the API is followed with the same request, as of a renamed repository", async () => {
  await using bench = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (request.url === "/new") json(response, 200, [request.method, body])
    else json(response, 307, {}, { location: "/new" })
  })
  const { client, seen } = bench
  expect(await client.send("POST /old", { a: 1 })).toMatchObject({ data: ["POST", '{"a":1}'] })
  expect(seen.at(-1)?.headers.authorization).toBe(`token ${TOKEN}`)
})

test("no redirect to another address is followed, with or without the token", async () => {
  await using other = await serve((_, response) => json(response, 200, {}))
  await using bench = await serve((_, response) =>
    json(response, 302, {}, { location: `${other.api}/x` }),
  )
  expect(await bench.client.send("GET /x", {})).toMatchObject({
    kind: "unavailable",
    why: expect.stringContaining("another address"),
  })
  expect(other.seen).toEqual([])
})

test("redirects without end come to an end", async () => {
  await using bench = await serve((_, response) => json(response, 302, {}, { location: "/x" }))
  expect(await bench.client.send("GET /x", {})).toMatchObject({ kind: "unavailable" })
  expect(bench.seen.length).toBeLessThan(10)
})
