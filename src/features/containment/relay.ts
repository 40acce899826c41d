/**
 * The process in the fence of a contained program that listens where its proxy should be.
 *
 * The fence has no network but a loopback of its own. The relay passes each connection there on to the
 * proxy outside (host-proxy.ts), which judges it. So nothing is lost if the program ends or replaces it.
 * It ends with the fence.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { joinSockets } from "./join-sockets.ts"
import { LOOPBACK } from "./rules/hosts.ts"

/** The relay prints this once it listens. */
export const READY = "ready"
/** An answer to CONNECT is short. */
const ANSWER_BYTES_MAX = 4_096

/**
 * @param args the path of the proxy's socket, the port for the proxy, and the ports of this machine
 * that the same ports in the fence lead to. It prints `ready` when it listens to all of them.
 */
export async function runRelay(args: readonly string[]): Promise<never> {
  const [path = "", proxy = "", ...ports] = args
  // The program may still need the network while it ends.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
  await listen(proxy, (client) => joinSockets(client, reach(path)))
  for (const port of ports) await listen(port, (client) => lead(client, { path, port }))
  writeSync(1, READY)
  for (const output of [1, 2]) {
    closeSync(output) // the program starts when its output has ended
    openSync("/dev/null", "w")
  }
  return await new Promise<never>(() => {})
}

async function listen(port: string, onClient: (client: Socket) => void): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, onClient)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.on("error", reject)
  server.listen(Number(port), LOOPBACK, resolve)
  await promise
}

const reach = (path: string): Socket => connect({ path, allowHalfOpen: true })

/** Asks the proxy for a port of this machine, for a program that knows nothing of proxies. */
function lead(client: Socket, { path, port }: { readonly path: string; readonly port: string }) {
  const proxy = reach(path)
  proxy.write(`CONNECT ${LOOPBACK}:${port} HTTP/1.1\r\nHost: ${LOOPBACK}:${port}\r\n\r\n`)
  const drop = () => client.destroy()
  for (const event of ["error", "close"]) proxy.on(event, drop)
  client.on("error", () => proxy.destroy())
  let said = Buffer.alloc(0)
  proxy.on("data", function onAnswer(bytes: Buffer) {
    said = Buffer.concat([said, bytes])
    const end = said.indexOf("\r\n\r\n")
    if (end < 0 && said.length < ANSWER_BYTES_MAX) return
    proxy.off("data", onAnswer)
    if (!said.toString("latin1").startsWith("HTTP/1.1 200")) return void proxy.destroy()
    proxy.pause()
    proxy.unshift(said.subarray(end + 4))
    proxy.off("close", drop)
    joinSockets(client, proxy)
  })
}
