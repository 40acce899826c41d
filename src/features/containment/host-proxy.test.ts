/** The proxy of contained programs, with real connections. */
import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { makeScratch } from "../../kernel/process/scratch-folder.ts"
import { serveHosts } from "./host-proxy.ts"
import type { Resolve } from "./host-way.ts"
import { readHosts } from "./rules/hosts.ts"

const open: (Disposable | AsyncDisposable)[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse())
    await (Symbol.asyncDispose in one ? one[Symbol.asyncDispose]() : one[Symbol.dispose]())
})

/** A web server that tells what it was asked. */
async function host() {
  const asked: IncomingMessage[] = []
  const server = createServer((request, answer) => {
    asked.push(request)
    answer.setHeader("set-cookie", ["a=1", "b=2"])
    request.pipe(answer)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push({ [Symbol.dispose]: () => server.close().closeAllConnections() })
  return { asked, port: (server.address() as AddressInfo).port }
}

/** A server whose answers are not those of a web server, and whose side stays open. */
async function rawHost(onData: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
    socket.on("data", () => onData(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push({
    [Symbol.dispose]: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return { sockets, port: (server.address() as AddressInfo).port }
}

async function proxy(hosts: readonly string[], names: Readonly<Record<string, string>> = {}) {
  const scratch = makeScratch()
  open.push(scratch)
  const path = join(scratch.path, "proxy")
  const refused: string[] = []
  const resolved: string[] = []
  const resolve: Resolve = async (name) => {
    resolved.push(name)
    const address = names[name]
    if (address === undefined) throw new Error("no such name")
    return address.split(" ").map((one) => ({ address: one, family: one.includes(":") ? 6 : 4 }))
  }
  const onRefused = (_host: string, why: string) => void refused.push(why)
  const served = await serveHosts({ path, rules: readHosts(hosts), onRefused, resolve })
  open.push(served)
  return { path, refused, resolved, served }
}

type Proxy = Awaited<ReturnType<typeof proxy>>

/** Asks the proxy for a tunnel. @returns the status, and the tunnel. */
async function tunnel({ path }: Proxy, to: string) {
  const socket = connect({ path, allowHalfOpen: true })
  open.push({ [Symbol.dispose]: () => socket.destroy() })
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`)
  const [head] = (await once(socket, "data")) as [Buffer]
  return { status: Number(head.toString().split(" ")[1]), text: head.toString(), socket }
}

/** Asks the proxy for a page over plain HTTP. */
async function page({ path }: Proxy, url: string, headers: Record<string, string> = {}, body = "") {
  const asked = request({ socketPath: path, path: url, method: "POST", headers, agent: false })
  asked.end(body)
  const [answer] = (await once(asked, "response")) as [IncomingMessage]
  const text = (await answer.toArray()).join("")
  return { status: answer.statusCode, headers: answer.headers, text }
}

test("a listed host is reached by a tunnel, whose ends are passed on [43.21]", async () => {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (bytes) => socket.write(bytes.toString().toUpperCase()))
    socket.on("end", () => socket.end("the end")) // the host answers after the client's end
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push({ [Symbol.dispose]: () => server.close() })
  const { port } = server.address() as AddressInfo
  const at = await proxy([`127.0.0.1:${port}`])
  const { status, socket } = await tunnel(at, `localhost:${port}`)
  expect(status).toBe(200)
  socket.end("hello ")
  expect((await socket.toArray()).join("")).toBe("HELLO the end")
  expect(at.refused).toEqual([])
})

test("a page over plain HTTP is asked for at the listed host, by its own name [43.21]", async () => {
  const { asked, port } = await host()
  const at = await proxy([`127.0.0.1:${port}`])
  const fronted = { host: "other.example", "proxy-authorization": "secret", "x-kept": "yes" }
  const answer = await page(at, `http://127.0.0.1:${port}/a?b=c`, fronted, "x".repeat(100_000))
  expect(answer).toMatchObject({ status: 200, text: "x".repeat(100_000) })
  expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"])
  expect(asked[0]?.url).toBe("/a?b=c")
  expect(asked[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}`, "x-kept": "yes" })
  expect(asked[0]?.headers).not.toHaveProperty("proxy-authorization")
})

test("any other host is refused and not even resolved, with words for program and person [43.22, 43.23]", async () => {
  const { asked, port } = await host()
  const at = await proxy(["*.example.org"], { "evil.example": "8.8.8.8" })
  for (const to of ["evil.example:443", `127.0.0.1:${port}`, "example.org:443"]) {
    const { status, text } = await tunnel(at, to)
    expect([to, status]).toEqual([to, 403])
    expect(text).toContain("is not in contained.network")
  }
  expect((await page(at, `http://127.0.0.1:${port}/`)).status).toBe(403)
  expect(at.refused[0]).toBe("refused: evil.example is not in contained.network")
  expect([at.resolved, asked]).toEqual([[], []])
})

test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"])(
  "a listed name that leads to %s is refused [43.22]",
  async (address) => {
    const { asked, port } = await host()
    const at = await proxy(["*.example.org"], { "a.example.org": address })
    expect((await tunnel(at, `a.example.org:${port}`)).status).toBe(403)
    expect((await page(at, `http://a.example.org:${port}/`)).status).toBe(403)
    expect(at.refused[0]).toContain(`a.example.org:${port} is at ${address}, this machine or`)
    expect(asked).toEqual([])
  },
)

test("a listed name leads to an address of this machine that is listed too, and is resolved once [43.22]", async () => {
  const { asked, port } = await host()
  const names = { "a.example.org": "169.254.169.254 127.0.0.1" }
  const at = await proxy(["a.example.org", `127.0.0.1:${port}`], names)
  expect((await page(at, `http://a.example.org:${port}/`)).status).toBe(200)
  expect(asked[0]?.headers.host).toBe(`a.example.org:${port}`)
  expect(at.resolved).toEqual(["a.example.org"])
})

test("a request that names no host gets an error, and so does one to a host without an answer [43.21]", async () => {
  const at = await proxy(["a.example", "127.0.0.1:1"])
  expect((await tunnel(at, "a.example")).status).toBe(400)
  expect((await page(at, "/")).status).toBe(400)
  expect((await page(at, "https://a.example/")).status).toBe(400)
  expect((await tunnel(at, "127.0.0.1:1")).status).toBe(502)
  expect((await page(at, "http://127.0.0.1:1/")).status).toBe(502)
  expect((await tunnel(at, "a.example:443")).text).toContain("a.example has no address")
  expect(at.refused).toEqual([])
})

test("it has at most 256 connections [43.26]", async () => {
  const at = await proxy([])
  const all: Socket[] = []
  for (let n = 0; n < 256; n++) {
    const socket = connect(at.path)
    all.push(socket)
    await once(socket, "connect")
  }
  open.push({ [Symbol.dispose]: () => all.forEach((socket) => void socket.destroy()) })
  const next = connect(at.path)
  next.on("error", () => {})
  await once(next, "close")
  expect(all.filter((socket) => socket.destroyed)).toEqual([])
})

test.each(["000 x", "099 x", "101 x", "101 x\r\nConnection: upgrade\r\nUpgrade: h2c"])(
  "a host that answers %j gets the program an error, and the daemon goes on [43.27]",
  async (status) => {
    const { port } = await rawHost((socket) => socket.write(`HTTP/1.1 ${status}\r\n\r\n`))
    const at = await proxy([`127.0.0.1:${port}`])
    expect((await page(at, `http://127.0.0.1:${port}/`)).status).toBe(502)
  },
)

test("a connection has one host, whatever it asks for [43.26]", async () => {
  const { port, sockets } = await rawHost(() => {})
  const at = await proxy([`127.0.0.1:${port}`])
  const socket = connect(at.path)
  const url = `http://127.0.0.1:${port}/`
  const asked = `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`
  socket.write(`${asked.repeat(100)}CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket.resume(), "close")
  const tunnelled = connect(at.path)
  tunnelled.write(`${asked}CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(tunnelled.resume(), "close")
  expect(sockets.length).toBeLessThanOrEqual(2)
})

test("a name is no longer waited for once its client has gone [43.28]", async () => {
  const { path } = await proxy([])
  const asked = Promise.withResolvers<AbortSignal>()
  const resolve: Resolve = async (_name, gone) => {
    asked.resolve(gone)
    await once(gone, "abort")
    return []
  }
  const rules = readHosts(["*.example.org"])
  open.push(await serveHosts({ path: `${path}2`, rules, onRefused: () => {}, resolve }))
  const client = connect(`${path}2`)
  client.write("CONNECT a.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
  const gone = await asked.promise
  expect(gone.aborted).toBe(false)
  const aborted = once(gone, "abort")
  client.destroy()
  await aborted
})

test.each(["DELETE", "GET", "OPTIONS", "POST"])(
  "the body of a %s in chunks stays a body, and headers of the connection stay here [43.21]",
  async (method) => {
    const { asked, port } = await host()
    const at = await proxy([`127.0.0.1:${port}`])
    const socket = connect({ path: at.path, allowHalfOpen: true })
    const body = "GET /admin HTTP/1.1\r\nHost: z\r\n\r\n"
    socket.write(
      `${method} http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: x-own\r\nX-Own: 1\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    )
    expect((await socket.toArray()).join("")).toContain(body)
    expect(asked.map((one) => one.method)).toEqual([method])
    expect(asked[0]?.headers).not.toHaveProperty("x-own")
  },
)

test("a program that closes refused tunnels uses up no connection [43.26]", async () => {
  const at = await proxy([])
  for (let n = 0; n < 300; n++) {
    const socket = connect(at.path)
    socket.write("CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    await once(socket, "data")
    socket.end("late")
    await once(socket, "close")
  }
})

test("its end is the end of all tunnels [43.26]", async () => {
  const ends: Promise<unknown>[] = []
  const server = createTcpServer((socket) => {
    socket.on("error", () => {})
    ends.push(once(socket, "close"))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push({ [Symbol.dispose]: () => server.close() })
  const { port } = server.address() as AddressInfo
  const at = await proxy([`127.0.0.1:${port}`])
  const { socket } = await tunnel(at, `127.0.0.1:${port}`)
  socket.on("error", () => {})
  const ended = once(socket.resume(), "end")
  await at.served[Symbol.asyncDispose]()
  open.splice(open.indexOf(at.served), 1)
  await Promise.all([ended, ...ends])
  expect(ends).toHaveLength(1)
})
