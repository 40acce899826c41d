import { promisify } from "node:util"
import { fastify } from "fastify"
import { describe, expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { listEvents } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { exchange } from "../client/http.ts"
import { answerError } from "./answer-error.ts"
import { Operations } from "./operations.ts"

/** A daemon in which every POST takes until the test lets it end. */
async function serve() {
  const db = openDb(":memory:")
  const operations = new Operations({
    db,
    world: { nowMs: () => 1, dice: () => 0, point: () => {} },
  })
  const server = fastify({ forceCloseConnections: true })
  server.setErrorHandler((error: Parameters<typeof answerError>[0], _request, reply) =>
    answerError(error, reply, () => {}),
  )
  const { promise, resolve, reject } = Promise.withResolvers<object>()
  let runs = 0
  const serveWith = (path: string, run: () => Promise<unknown>) =>
    server.post(path, (request, reply) => operations.carryOut(request, reply, run))
  serveWith("/long", async () => {
    runs += 1
    return await promise
  })
  serveWith("/short", async () => ({ runs: ++runs }))
  server.get<{ Params: { ref: string } }>("/operations/:ref", ({ params }, reply) =>
    operations.answer(params.ref, reply),
  )
  const address = await server.listen({ host: "127.0.0.1", port: 0 })
  const ask = (path: string, more: { key?: string; onAccepted?: () => void } = {}) =>
    exchange({ address, token: "" }, { method: "POST", path, body: { a: 1 }, ...more })
  const ended = () => listEvents(db, { after: 0, limit: 9 }).map(({ type, data }) => [type, data])
  const connections = promisify(server.server.getConnections.bind(server.server))
  return {
    connections,
    operations,
    address,
    ask,
    end: resolve,
    fail: reject,
    runs: () => runs,
    ended,
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}

// These tests wait for the daemon's patience, each with a daemon of its own.
describe.concurrent("a request that may take long", () => {
  test("a request that takes long is accepted, and followed to its answer; its end is an event [35.5]", async () => {
    await using it = await serve()
    const accepted = Promise.withResolvers<void>()
    const answer = it.ask("/long", { key: "k", onAccepted: accepted.resolve })
    await accepted.promise
    expect(it.operations.isWorking).toBe(true)
    it.end({ made: 7 })
    expect(await answer).toEqual({ kind: "answered", body: { made: 7 } })
    expect(it.operations.isWorking).toBe(false)
    const data = { operation: "k", request: "POST /long", error: null }
    expect(it.ended()).toEqual([["operation.ended", data]])
  })

  test("its error is the answer to its followers, as for a request that is answered at once", async () => {
    await using it = await serve()
    const accepted = Promise.withResolvers<void>()
    const answer = it.ask("/long", { onAccepted: accepted.resolve })
    await accepted.promise
    it.fail(new DaemonError("task.not_found", "There is no task."))
    await expect(answer).rejects.toMatchObject({ code: "task.not_found" })
    expect(it.ended()[0]?.[1]).toMatchObject({ error: "task.not_found" })
  })

  test("a request that is repeated with its key is carried out once, and answered alike [35.6]", async () => {
    await using it = await serve()
    const [one, other] = [it.ask("/long", { key: "k" }), it.ask("/long", { key: "k" })]
    it.end({ made: 7 })
    expect(await one).toEqual(await other)
    expect(await it.ask("/long", { key: "k" })).toEqual(await one)
    expect(it.runs()).toBe(1)
    expect(await it.ask("/short")).not.toEqual(await it.ask("/short"))
  })

  test("the same request joins one whose client has gone, and not one that is followed [35.6]", async () => {
    await using it = await serve()
    const headers = { "content-type": "application/json", connection: "close" }
    const gone = new AbortController()
    const { signal } = gone
    const accepted = await fetch(`${it.address}/long`, { method: "POST", body: '{"a":1}', headers })
    const { operation } = (await accepted.json()) as { operation: string }
    const following = fetch(`${it.address}/operations/${operation}`, { headers, signal })
    await waitFor("the follower", async () => (await it.connections()) === 1)
    const followed = Promise.withResolvers<void>()
    const other = it.ask("/long", { onAccepted: followed.resolve })
    await followed.promise
    expect(it.runs()).toBe(2)

    gone.abort()
    await expect(following).rejects.toMatchObject({ name: "AbortError" })
    await waitFor("the end of its connection", async () => (await it.connections()) === 1)
    const joining = Promise.withResolvers<void>()
    const joined = it.ask("/long", { onAccepted: joining.resolve })
    await joining.promise
    it.end({ made: 7 })
    expect(await joined).toEqual(await other)
    expect(it.runs()).toBe(2)
  })

  test("an operation that took long is known at its end, however many requests came and went", async () => {
    await using it = await serve()
    const headers = { "content-type": "application/json", "idempotency-key": "k" }
    const request = { method: "POST", body: '{"a":1}', headers }
    expect((await fetch(`${it.address}/long`, request)).status).toBe(202)
    const askMany = async (keyed: boolean) => {
      for (let n = 0; n < 201; n++) await it.ask("/short", keyed ? { key: `short ${n}` } : {})
    }
    await askMany(true)
    it.end({ made: 7 })
    await askMany(false)
    expect(await (await fetch(`${it.address}/operations/k`)).json()).toEqual({ made: 7 })
  })

  test("a key stands for one request, word for word", async () => {
    await using it = await serve()
    await it.ask("/short", { key: "k" })
    await expect(it.ask("/long", { key: "k" })).rejects.toMatchObject({ code: "request.invalid" })
    expect(it.runs()).toBe(1)
  })

  test("an operation of an earlier daemon is unknown, and its client cannot tell what was done", async () => {
    await using it = await serve()
    const { address } = it
    const asked = exchange({ address, token: "" }, { method: "GET", path: "/operations/x" })
    await expect(asked).rejects.toMatchObject({ code: "operation.unknown" })
  })
})
