import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { pino } from "pino"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleLanding, addSampleTask, forceState } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { ErrorDocument } from "../../base/errors.ts"
import type { JobId } from "../../base/ids.ts"
import { LiveConfig } from "../../config/live/live-config.ts"
import { type Composed, compose } from "../../daemon/compose.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { AgentAccess } from "../agent-tokens.ts"
import { databasePath } from "../client/state-dir.ts"
import { BEAT } from "../wire/heartbeat.ts"
import type { StatusDocument } from "../wire/home.ts"
import { ROUTES } from "../wire/routes.ts"
import { TaskLinesDocument, TasksDocument } from "../wire/tasks.ts"
import { BrowserAccess } from "./browser-access.ts"
import { describeApi } from "./openapi.ts"
import { Operations } from "./operations.ts"
import { createServer } from "./server.ts"

const TOKEN = "secret"
const authorization = `Bearer ${TOKEN}`
const world = { nowMs: () => 1000, dice: () => 0.5, point: () => {} }

let repo: TestRepo
let composed: Composed
let server: Awaited<ReturnType<typeof createServer>>
let address: string
let isEnding: boolean
let bugs: unknown[]

beforeEach(async () => {
  repo = new TestRepo()
  isEnding = false
  bugs = []
  const db = openDb(databasePath(repo.folder))
  const log = pino({ level: "silent" })
  const config = new LiveConfig(repo.path, repo.folder)
  const agents = new AgentAccess(TOKEN)
  composed = compose({ home: repo.path, stateDir: repo.folder, config, db, world, log, agents })
  server = await createServer({
    fleet: composed.fleet,
    operations: new Operations(composed.fleet),
    token: TOKEN,
    browsers: new BrowserAccess(composed.fleet),
    status: () => ({ version: "0.0.0" }) as StatusDocument,
    down: () => {
      isEnding = true
      return true
    },
    isEnding: () => isEnding,
    requireApproval: () => {},
    onBug: (error) => bugs.push(error),
  })
  address = await server.listen({ host: "127.0.0.1", port: 0 })
})

afterEach(async () => {
  await server.close()
  await composed.stop()
  composed.fleet.db.close()
  repo[Symbol.dispose]()
  expect(bugs).toEqual([])
})

async function ask(path: string, init: RequestInit = {}) {
  const headers = { authorization, "content-type": "application/json" }
  const response = await fetch(`${address}${path}`, { headers, ...init })
  const { error } = (await response.json()) as Partial<ErrorDocument>
  return { status: response.status, error }
}

function post(path: string, body: unknown) {
  return ask(path, { method: "POST", body: JSON.stringify(body) })
}

test.each(["/session", "/session/proof", "/act/1-x"])(
  "a request without a token is refused before it fills the memory: %s",
  async (path) => {
    const headers = { origin: address, "content-type": "application/json" }
    const body = JSON.stringify({ words: "x".repeat(2_000_000) })
    const { error } = await ask(path, { method: "POST", headers, body })
    expect(error?.message).toBe("Request body is too large")
  },
)

test("the description of the API is served to those with the token [35.13]", async () => {
  const of = (headers: Record<string, string>) => fetch(`${address}/openapi.json`, { headers })
  const served = await of({ authorization })
  expect(served.status).toBe(200)
  expect(await served.json()).toEqual(JSON.parse(JSON.stringify(describeApi("0.0.0"))))
  expect((await of({})).status).toBe(401)
})

describe("every refusal is an error document", () => {
  const said = { blame: "user", message: expect.any(String), hints: expect.any(Array) }
  const invalid = { status: 400, error: { code: "request.invalid", ...said } }

  test("a task name that does not exist, of any length", async () => {
    const missing = { status: 404, error: { code: "task.not_found", ...said } }
    expect(await ask(`/tasks/${"x".repeat(3000)}`)).toEqual(missing)
  })

  test.each([
    "/tasks/%zz",
    "/nowhere",
    "/tasks?view=x",
    "/events?after=-1",
    "/tasks/1/log?limit=x",
  ])("%s", async (path) => expect(await ask(path)).toEqual(invalid))

  test("a path longer than a request's head", async () => {
    expect(await ask(`/tasks/${"x".repeat(20_000)}`)).toEqual({ ...invalid, status: 431 })
  })

  test("a body that is no JSON, or too long", async () => {
    expect(await ask("/tasks", { method: "POST", body: "{" })).toEqual(invalid)
    expect(await post("/tasks", { prompt: "x".repeat(9_000_000) })).toEqual(invalid)
  })

  test("work to land whose name no program accepts", async () => {
    const work = { ref: "a\0b", cwd: "/" }
    for (const path of ["/land", "/land/plan"]) expect(await post(path, work)).toEqual(invalid)
  })

  test("input that is not HTTP", async () => {
    const socket = connect(Number(new URL(address).port), "127.0.0.1")
    socket.end("nonsense\r\n\r\n")
    const [head, body] = (await text(socket)).split("\r\n\r\n")
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    expect(JSON.parse(body!)).toEqual({ error: invalid.error })
  })

  test("without the token every path is refused alike, even a wrong one", async () => {
    const refused = { status: 401, error: { code: "request.unauthorized", ...said } }
    for (const path of ["/status", "/nowhere", "/tasks/%zz"])
      expect(await ask(path, { headers: {} })).toEqual(refused)
  })
})

test("every route of the table is served [35.7]", () => {
  const missing = Object.values(ROUTES).filter(({ at }) => {
    const [method, url] = at.split(" ") as ["GET" | "POST", string]
    return !server.hasRoute({ method, url })
  })
  expect(missing).toEqual([])
})

test("the lines of a list agree with the tasks, and hold no more than people are shown", async () => {
  const { db } = composed.fleet
  addSampleTask(db)
  forceState(db, addSampleLanding(db).task, "merging")
  const list = async (path: string) =>
    (await (await fetch(`${address}${path}`, { headers: { authorization } })).json()) as unknown
  const whole = TasksDocument.parse(await list("/tasks"))
  const said = await list("/task-lines")
  const lines = TaskLinesDocument.parse(said)
  expect(said).toEqual(lines) // no fields that a line does not have
  expect(lines).toMatchObject({ tasks: [{ landing: null }, { landing: { outcome: null } }] })
  for (const [
    at,
    { question, last, costUsd, turns, kept, repos, ...line },
  ] of lines.tasks.entries()) {
    expect(whole.tasks[at]).toMatchObject(line)
    expect(whole.tasks[at]?.repos.map(({ name }) => name)).toEqual(repos)
    expect([question, last, costUsd, turns, kept]).toEqual([null, null, null, 0, false])
  }
})

describe("a new task", () => {
  test.each([
    ["prompt", "a\0b"],
    ["prompt", "a\x1b[2Jb"],
    ["title", "two\nlines"],
    ["title", "a\tb"],
    ["workItem", "a\x07"],
    ["workItem", "a\x9b2J"],
  ])("is refused with a control character: %s %j", async (field, value) => {
    const { status, error } = await post("/tasks", { prompt: "x", [field]: value })
    expect({ status, code: error?.code }).toEqual({ status: 400, code: "request.invalid" })
    expect(error?.message).toMatch(RegExp(`${field}: must be .* without control characters\\.$`))
  })

  test.each([
    ["prompt", 1_000_001],
    ["title", 501],
    ["workItem", 501],
  ])(
    "a new task is refused if it holds too much: %s of %i characters [12.13]",
    async (field, length) => {
      const { error } = await post("/tasks", { prompt: "x", [field]: "x".repeat(length) })
      expect(error).toMatchObject({ code: "request.invalid", blame: "user" })
      expect(error?.message).toMatch(RegExp(`${field}: is longer than ${length - 1} characters: `))
    },
  )

  test("may have lines, tabs and every alphabet in its prompt", async () => {
    const { error } = await post("/tasks", { prompt: "Añb\r\n\t木 \u{1f333}\n", agent: "nobody" })
    expect(error?.code).toBe("agent.unknown")
  })
})

describe("a WebSocket", () => {
  /** The refusal: there is no upgrade, and the answer says why. */
  async function refusal(path: string): Promise<string> {
    const socket = connect(Number(new URL(address).port), "127.0.0.1")
    const headers = [`host: ${new URL(address).host}`, "connection: upgrade", "upgrade: websocket"]
    const key = ["sec-websocket-version: 13", `sec-websocket-key: ${"A".repeat(22)}==`]
    const lines = [`GET ${path} HTTP/1.1`, ...headers, ...key, `authorization: ${authorization}`]
    socket.write(`${lines.join("\r\n")}\r\n\r\n`)
    return text(socket)
  }

  test.each([
    ["/tasks/99/log/follow", 404, "task.not_found"],
    ["/tasks/1/log/follow?after=x", 400, "request.invalid"],
    ["/events/follow?after=-1", 400, "request.invalid"],
  ])("%s is refused before the upgrade with %i", async (path, status, code) => {
    addSampleTask(composed.fleet.db)
    const answer = await refusal(path)
    expect(answer).toMatch(RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
    expect(await ask(path)).toMatchObject({ status, error: { code } })
  })

  test("is followed if nothing is wrong; without a WebSocket, the answer asks for one", async () => {
    addSampleTask(composed.fleet.db)
    const url = `${address.replace("http", "ws")}/events/follow?after=0`
    const socket = new WebSocket(url, { headers: { authorization } })
    const [{ data }] = (await once(socket, "message")) as [MessageEvent]
    expect(JSON.parse(String(data))).toMatchObject({ seq: 1, type: "task.created" })
    socket.close()
    const plain = await ask("/events/follow")
    expect(plain).toMatchObject({ status: 426, error: { code: "request.upgrade_required" } })
  })

  test("beats come to a follower that asks for them, and to no other [35.4]", async () => {
    addSampleTask(composed.fleet.db)
    const heard = ["", "&beats=true"].map((asked) => {
      const url = `${address.replace("http", "ws")}/events/follow?after=0${asked}`
      const socket = new WebSocket(url, { headers: { authorization } } as never)
      const texts: string[] = []
      socket.addEventListener("message", ({ data }) => texts.push(String(data)))
      return { socket, texts }
    })
    const [plain, asking] = heard as [(typeof heard)[0], (typeof heard)[0]]
    await waitFor("two beats", () => asking.texts.filter((text) => text === BEAT).length === 2)
    expect(plain.texts).toHaveLength(1)
    for (const { socket } of heard) socket.close()
  })
})

describe("connections", () => {
  const open = async () => {
    const socket = connect(Number(new URL(address).port), "127.0.0.1").on("error", () => {})
    await once(socket, "connect")
    return socket
  }

  test("connections that send nothing block no others: the oldest gives way [12.13]", async () => {
    const follower = new WebSocket(`${address.replace("http", "ws")}/events/follow?after=0`, {
      headers: { authorization },
    } as never)
    await once(follower as never, "open")
    const first = await open()
    const closed = once(first, "close")
    const others: Socket[] = []
    for (let n = 0; n < 100; n++) others.push(await open())
    await closed
    expect(await ask("/status")).toMatchObject({ status: 200 })
    expect(follower.readyState).toBe(WebSocket.OPEN)
    for (const socket of others) socket.destroy()
    follower.close()
  })

  test("an agent's many connections keep no person out: its own oldest gives way [12.13]", async () => {
    const { db, agents } = composed.fleet
    const { id } = addSampleTask(db)
    const { COPPICE_TOKEN: token } = agents.environment(startJob(db, id, 0).id)
    const head = `Host: ${new URL(address).host}\r\nAuthorization: Bearer ${token}`
    const sockets: Socket[] = []
    for (let n = 0; n < 600; n++) {
      const socket = await open()
      sockets.push(socket)
      socket.write(`GET /agent/mcp HTTP/1.1\r\n${head}\r\n\r\n`)
      await Promise.race([once(socket, "data"), once(socket, "close")])
    }
    expect(await ask("/status")).toMatchObject({ status: 200 })
    expect(sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length).toBeLessThan(64)
    for (const socket of sockets) socket.destroy()
  })

  test("a connection that sends nothing ends without an answer [12.13]", async () => {
    server.server.headersTimeout = 100
    expect(await text(await open())).toBe("")
  })

  test("connections whose request never ends are closed [12.13]", async () => {
    expect(server.server.requestTimeout).toBeLessThanOrEqual(60_000)
    // The longer one of the two counts.
    Object.assign(server.server, { headersTimeout: 100, requestTimeout: 100 })
    const socket = await open()
    const head = `POST /tasks HTTP/1.1\r\nHost: ${new URL(address).host}\r\nAuthorization: ${authorization}`
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 4\d\d /)
  })
})

test("a follower that does not read holds a bounded part of the events [12.13]", async () => {
  const { db } = composed.fleet
  const data = { text: "x".repeat(20_000) }
  for (let n = 0; n < 400; n++) appendEvent(db, { type: "task.told", task: null, data }, 0)
  const socket = connect(Number(new URL(address).port), "127.0.0.1")
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13`
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`
  const sockets: Socket[] = []
  server.server.on("upgrade", ({ socket: served }) => sockets.push(served as Socket))
  socket.write(
    `GET /events/follow HTTP/1.1\r\nHost: ${new URL(address).host}\r\nAuthorization: ${authorization}\r\n${upgrade}\r\n${key}\r\n\r\n`,
  )
  await once(socket, "readable")
  socket.pause()
  const served = await waitFor("the daemon's side", () => sockets[0])
  await waitFor("a page to wait for its reader", () => served.writableLength > 0)
  expect(served.writableLength).toBeLessThan(1024 * 1024)
  socket.destroy()
})

describe("an agent's token", () => {
  const rebase = (token: string) =>
    ask("/agent/rebase_to_main", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    })
  const refused = { status: 401, error: { code: "request.unauthorized" } }

  test("an agent's token is valid for the agent verbs while its job runs, and for nothing else [9.2]", async () => {
    const { db, agents } = composed.fleet
    const task = addSampleTask(db, { agent: "claude" })
    const job = startJob(db, task.id, 1)
    const { COPPICE_TOKEN: token = "" } = agents.environment(job.id)
    expect(await rebase(token)).toMatchObject({ status: 200 })
    for (const path of ["/status", "/tasks", "/events", "/tasks/1/diff", "/rescues"])
      expect(await ask(path, { headers: { authorization: `Bearer ${token}` } })).toMatchObject(
        refused,
      )
    const other = agents.environment((job.id + 1) as JobId)["COPPICE_TOKEN"] ?? ""
    const forged = token.replace(/^\d+/, String(job.id + 1))
    for (const wrong of ["", TOKEN, forged, other, `${token}0`])
      expect(await rebase(wrong)).toMatchObject(refused)
    sql(db, "update jobs set state = 'ended' where id = :id").run({ id: job.id })
    expect(await rebase(token)).toMatchObject(refused)
  })
})

test("a daemon that is ending accepts nothing new, and still answers questions", async () => {
  addSampleTask(composed.fleet.db)
  expect(await post("/down", {})).toMatchObject({ status: 202 })
  const ending = { status: 503, error: { code: "daemon.ending", blame: "world" } }
  for (const path of ["/tasks", "/tasks/1/cancel", "/tasks/1/land", "/tasks/1/restart"])
    expect(await post(path, { prompt: "x" })).toMatchObject(ending)
  expect(await ask("/tasks/1")).toMatchObject({ status: 200 })
  expect(await post("/down", {})).toMatchObject({ status: 202 })
})
