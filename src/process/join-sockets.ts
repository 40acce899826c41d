/** Joins two connections: the bytes of each go to the other, and the end of each is the end of both. */
import type { Duplex } from "node:stream"

/** Both keep their writing side open when the other side ends. */
export function joinSockets(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy())
    from.on("close", () => from.readableEnded || to.destroy())
    from.pipe(to)
  }
}
