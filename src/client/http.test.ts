import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { exchange } from "./http.ts"

test("an error that is not one of ours is told as a daemon that gave no reason", async () => {
  const foreign = JSON.stringify({ error: "Not Found", message: "Route not found" })
  const server = createServer((_request, response) => response.writeHead(404).end(foreign))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const daemon = {
    pid: 1,
    address: `http://127.0.0.1:${port}`,
    token: "",
    version: "",
    startedAt: "",
  }
  const asked = exchange(daemon, { method: "GET", path: "/" })
  await expect(asked).rejects.toMatchObject({ code: "daemon.gone", blame: "world" })
  server.close()
})
