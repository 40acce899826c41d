/** Sends numbered documents over a WebSocket: first those behind the cursor, then each new one. */
import type { Socket } from "node:net"
import type { WebSocket } from "@fastify/websocket"
import type { Db } from "../../store/open.ts"
import { onCommit } from "../../store/sql.ts"

type Numbered = { readonly seq: number }

type Followed = {
  /** What the WebSocket writes to. */
  readonly wire: Socket
  readonly after: number
  /** Sent before anything else. */
  readonly first: readonly Numbered[]
  /** One page behind a number, oldest first; empty when there is nothing new. */
  read(after: number): readonly Numbered[]
}

/**
 * The store is the only queue: a slow reader is sent the next page when the last one has left, so
 * nothing is missed, nothing is sent twice and nothing piles up in memory.
 */
export function follow(db: Db, socket: WebSocket, followed: Followed): void {
  const { wire, after, first, read } = followed
  let cursor = after
  let sending = false
  let isBehind = true
  const catchUp = async () => {
    while (isBehind && socket.readyState === socket.OPEN) {
      const page = read(cursor)
      isBehind = page.length > 0
      await send(socket, wire, page)
      cursor = page.at(-1)?.seq ?? cursor
    }
  }
  const pump = async () => {
    if (sending) return
    sending = true
    try {
      await catchUp()
    } catch {
      socket.terminate() // the store cannot be read just now: the reader comes back by cursor
    }
    sending = false
  }
  const unsubscribe = onCommit(db, () => {
    isBehind = true
    setImmediate(() => void pump())
  })
  socket.on("close", unsubscribe)
  socket.on("error", () => socket.terminate()) // a broken connection: its reader comes back by cursor
  void send(socket, wire, first).then(pump)
}

/** In one write. Settles when all of it has left, or the connection has ended. */
async function send(socket: WebSocket, wire: Socket, page: readonly Numbered[]): Promise<void> {
  wire.cork()
  const sent = page.map((document) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.send(JSON.stringify(document), () => resolve())
    return promise
  })
  wire.uncork()
  await Promise.all(sent)
}
