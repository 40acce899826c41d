import { once } from "node:events"
import { createServer, request } from "node:http"
import { type AddressInfo, createServer as createSilent, type Server, type Socket } from "node:net"
import { expect, test } from "vitest"
import { Tunnels } from "./tunnels.ts"

const listen = async (server: Server) => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test("a connection that the other daemon does not open is refused in time, and leaves none [38.48]", async () => {
  const asked: Socket[] = []
  const silent = createSilent((socket) => void asked.push(socket.resume()))
  const address = await listen(silent)
  const tunnels = new Tunnels(100)
  const server = createServer()
  server.on("upgrade", (raw) => {
    const given = { raw, headers: raw.headers } as Parameters<Tunnels["open"]>[0]
    const tunnel = { address, path: "/events/follow", headers: {}, isAllowed: () => true }
    tunnels.open(given, { ...tunnel, findBlocker: () => undefined })
  })
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  const sent = request(await listen(server), { headers }).end()
  const [answer] = await once(sent, "response")
  expect(answer.statusCode).toBe(503)
  expect(asked).toHaveLength(1)
  if (!asked[0]!.closed) await once(asked[0]!, "close")
  server.close()
  silent.close()
})
