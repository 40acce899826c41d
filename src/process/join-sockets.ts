/** Joins two connections: the bytes of each go to the other, and the end of each is the end of both. */
import type { Socket } from "node:net"

/** A connection that has ended on one side may be silent for this long. A host may ignore the end. */
const HALF_OPEN_MS_MAX = 30_000

/** Both keep their writing side open when the other side ends. */
export function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy())
    from.on("end", () => {
      for (const socket of [one, other]) limitSilence(socket)
    })
    from.on("close", () => {
      if (!from.readableEnded || to.writableFinished) to.destroy()
    })
    from.pipe(to)
  }
}

function limitSilence(socket: Socket): void {
  socket.setTimeout(HALF_OPEN_MS_MAX)
  socket.once("timeout", () => socket.destroy())
}
