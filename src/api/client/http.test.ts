import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { exchange } from "./http.ts"

const ANYWHERE = { pid: 1, token: "", version: "", startedAt: "" }

test("a cut connection leaves the result unknown; an ending or missing daemon does not", async () => {
  const ending = { error: { code: "daemon.ending", blame: "world", message: "", hints: [] } }
  const server = createServer(({ url, socket }, response) => {
    if (url === "/cut") socket.destroy()
    else response.writeHead(503).end(JSON.stringify(ending))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const daemon = { ...ANYWHERE, address: `http://127.0.0.1:${port}` }
  expect(await exchange(daemon, { method: "POST", path: "/cut" })).toEqual({ kind: "broken" })
  expect(await exchange(daemon, { method: "POST", path: "/" })).toEqual({ kind: "ending" })
  await new Promise((resolve) => server.close(resolve))
  expect(await exchange(daemon, { method: "POST", path: "/" })).toEqual({ kind: "unreachable" })
})

test("an unknown error counts as a daemon that gave no reason", async () => {
  const foreign = JSON.stringify({ error: "Not Found", message: "Route not found" })
  const server = createServer((_request, response) => response.writeHead(404).end(foreign))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const daemon = { ...ANYWHERE, address: `http://127.0.0.1:${port}` }
  const asked = exchange(daemon, { method: "GET", path: "/" })
  await expect(asked).rejects.toMatchObject({ code: "daemon.gone", blame: "world" })
  server.close()
})

test.runIf(process.platform === "linux")(
  "a daemon that is stopped is named within 2 s [12.4]",
  async () => {
    const code = `const s = require('node:net').createServer(() => {}).listen(0, '127.0.0.1', () => console.log(s.address().port))`
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      const [port] = (await once(child.stdout, "data")) as [Buffer]
      child.kill("SIGSTOP")
      const startMs = performance.now()
      const daemon = {
        ...ANYWHERE,
        pid: child.pid!,
        address: `http://127.0.0.1:${String(port).trim()}`,
      }
      await expect(exchange(daemon, { method: "GET", path: "/" })).rejects.toMatchObject({
        code: "daemon.gone",
        message: `The daemon did not answer: its process ${child.pid} is stopped.`,
        hints: [`\`kill -CONT ${child.pid}\` continues it.`],
      })
      expect(performance.now() - startMs).toBeLessThan(2_000)
    } finally {
      child.kill("SIGKILL")
    }
  },
)
