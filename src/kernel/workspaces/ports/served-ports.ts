/** Lists those ports of a block that a program listens on. */
import { connect } from "node:net"
import type { PortBlock } from "../rules/ports.ts"

/** Loopback answers at once, unless the program's own queue is full. */
const ANSWER_MS_MAX = 500

export async function listServedPorts({ first, count }: PortBlock): Promise<number[]> {
  const ports = Array.from({ length: count }, (_, at) => first + at)
  const served = await Promise.all(ports.map(isServed))
  return ports.filter((_, at) => served[at])
}

function isServed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: ANSWER_MS_MAX })
    const end = (isOpen: boolean) => () => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false))
  })
}
