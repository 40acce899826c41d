/** Pipes two sockets into each other. */
import type { Socket } from "node:net"

/** A connection that has ended on one side may be silent for this long. A host may ignore the end. */
const HALF_OPEN_MS_MAX = 30_000

/**
 * An end is passed on, and limits the silence of both from then on; an error closes both. Both must
 * have `allowHalfOpen: true`, so that one direction can end before the other.
 */
export function joinSockets(one: Socket, other: Socket, silentMsMax = HALF_OPEN_MS_MAX): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy())
    from.on("end", () => {
      for (const socket of [one, other]) limitSilence(socket, silentMsMax)
    })
    from.on("close", () => {
      if (!from.readableEnded || to.writableFinished) to.destroy()
    })
    from.pipe(to)
  }
}

function limitSilence(socket: Socket, silentMsMax: number): void {
  socket.setTimeout(silentMsMax)
  socket.once("timeout", () => socket.destroy())
}
