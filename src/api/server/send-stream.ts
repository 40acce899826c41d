/** Sends numbered documents over a WebSocket: first those after the cursor, then each new one. */
import type { Socket } from "node:net"
import type { WebSocket } from "@fastify/websocket"
import type { Db } from "../../kernel/store/open.ts"
import { onCommit } from "../../kernel/store/sql.ts"
import { BEAT, BEAT_MS } from "../wire/heartbeat.ts"

type Numbered = { readonly seq: number }

/** The most memory that one stalled reader may use. */
const PAGE_BYTES_MAX = 256 * 1024

/** Often enough to be read as it is written. */
const NOW_MS = 100

/** A state that is not kept. */
export type Now = {
  read(): object
  /** @returns a function that stops this. */
  follow(reader: () => void): () => void
}

type Followed = {
  /** The socket below the WebSocket. */
  readonly wire: Socket
  readonly after: number
  /** Whether the reader wants signs of life. */
  readonly beats?: boolean | undefined
  /** Sent before anything else. */
  readonly first: readonly Numbered[]
  /** One page after a number, oldest first; empty if there is nothing new. */
  read(after: number): readonly Numbered[]
  readonly now?: Now | undefined
}

/**
 * The store is the only queue: a slow reader gets the next page after the last one was written out.
 * So nothing is missed or sent twice, and nothing piles up in memory.
 */
export function follow(db: Db, socket: WebSocket, followed: Followed): void {
  const { wire, after, beats, first, read, now } = followed
  let cursor = after
  let sending = false
  let isBehind = true
  const catchUp = async () => {
    while (isBehind && socket.readyState === socket.OPEN) {
      const page = read(cursor)
      isBehind = page.length > 0
      cursor = (await send(socket, wire, page)) ?? cursor
    }
  }
  const pump = async () => {
    if (sending) return
    sending = true
    try {
      await catchUp()
    } catch {
      socket.terminate() // the store cannot be read now: the reader reconnects with its cursor
    }
    sending = false
  }
  const unsubscribe = onCommit(db, () => {
    isBehind = true
    setImmediate(() => void pump())
  })
  socket.on("close", unsubscribe)
  if (beats) sendBeats(socket, wire)
  if (now) sendNow(socket, wire, now)
  socket.on("error", () => socket.terminate()) // a broken connection: its reader reconnects with its cursor
  void send(socket, wire, first).then(pump)
}

/** A reader that has not yet taken what was sent gets none: they would pile up. */
function sendBeats(socket: WebSocket, wire: Socket): void {
  const timer = setInterval(() => {
    if (wire.writableLength === 0) socket.send(BEAT)
  }, BEAT_MS)
  timer.unref()
  socket.on("close", () => clearInterval(timer))
}

/** A reader that has not yet taken what was sent gets the state of later. */
function sendNow(socket: WebSocket, wire: Socket, { read, follow }: Now): void {
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    timer = undefined
    if (wire.writableLength > 0) sendLater()
    else socket.send(JSON.stringify(read()))
  }
  const sendLater = () => {
    timer ??= setTimeout(send, NOW_MS)
  }
  const unfollow = follow(sendLater)
  sendLater()
  socket.on("close", () => {
    unfollow()
    clearTimeout(timer)
  })
}

/**
 * Sends as much of `page` as one reader may hold, in one write. Resolves when all of it was written
 * out or the connection closed. @returns the last number that was sent.
 */
async function send(
  socket: WebSocket,
  wire: Socket,
  page: readonly Numbered[],
): Promise<number | undefined> {
  const sent: Promise<void>[] = []
  let last: number | undefined
  wire.cork()
  for (let at = 0, bytes = 0; at < page.length && bytes < PAGE_BYTES_MAX; at++) {
    const text = JSON.stringify(page[at])
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.send(text, () => resolve())
    sent.push(promise)
    bytes += text.length
    last = page[at]!.seq
  }
  wire.uncork()
  await Promise.all(sent)
  return last
}
