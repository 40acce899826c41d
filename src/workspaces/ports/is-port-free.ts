/** Checks whether a port is free, by listening on it for an instant. */
import { createServer } from "node:net"

/** On some systems a listener on one address does not block a listener on all addresses. */
const ADDRESSES = ["::", "127.0.0.1", "::1"]
/** The machine has no such address, so this says nothing about the port. */
const NO_ADDRESS: readonly (string | undefined)[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT"]

export async function isPortFree(port: number): Promise<boolean> {
  for (const host of ADDRESSES) if (!(await canListen(port, host))) return false
  return true
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(NO_ADDRESS.includes(code)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
