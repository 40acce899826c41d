import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, test } from "vitest"
import { joinSockets } from "./join-sockets.ts"

/** Both ends of a connection. */
async function connected(): Promise<readonly [near: Socket, far: Socket]> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const near = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
  const [far] = (await once(server, "connection")) as [Socket]
  server.close()
  return [near, far]
}

test("a tunnel ends with its client, even if the host does not [43.30]", async () => {
  const [client, accepted] = await connected()
  const [reached, host] = await connected()
  host.resume() // the host ignores the end
  joinSockets(accepted, reached, 20)
  const [ended, hostSaw] = [once(reached, "close"), once(host, "end")]
  client.end()
  await Promise.all([ended, hostSaw])
  expect(accepted.destroyed).toBe(true)
  for (const socket of [client, host]) socket.destroy()
})
