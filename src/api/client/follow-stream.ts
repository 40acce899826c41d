/**
 * Follows a numbered stream of the daemon: first the items after the cursor, then new ones.
 *
 * A broken connection continues from the last number seen, so that no item is missed or repeated. A
 * follower never starts a daemon: ending it may have been deliberate.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonGoneError, RemoteError } from "./errors.ts"
import { exchange } from "./http.ts"

export type Stream = {
  /** The address of the current daemon, if any. */
  find(): DaemonAddress | undefined
  /** The path of the stream after number `after`. */
  path(after: number): string
  readonly after: number
  readonly signal?: AbortSignal | undefined
  /** Called with the message that an agent is writing. */
  readonly onWriting?: ((text: string) => void) | undefined
  /** Whether the daemon was ended, rather than died. */
  wasEnded?(): boolean
  /** When to reconnect after a broken connection. */
  readonly reconnect?: RetryPolicy
}

const DELAYS = { delayMsMin: 50, delayMsMax: 1000 }
/** About 10 s in all: enough for another version to take over, and not long for a person. */
const AFTER_END = { ...DELAYS, attemptsMax: 25 }
/** About 30 s in all: the next daemon first ends what a dead one has left running. */
const AFTER_DEATH = { ...DELAYS, attemptsMax: 65 }
/** Drops a slow reader's connection; it reconnects once it has caught up. */
const QUEUE_MAX = 10_000

/**
 * Ends when `signal` aborts.
 *
 * @throws RemoteError     why there is no such stream, such as an unknown task.
 * @throws DaemonGoneError when no daemon comes back.
 */
export async function* followStream<Item extends { readonly seq: number }>(
  stream: Stream,
): AsyncGenerator<Item, void, undefined> {
  let { after } = stream
  for (let failures = 0; !stream.signal?.aborted; ) {
    for await (const item of connection<Item>(stream, after)) {
      failures = 0
      if ("writing" in item) stream.onWriting?.(String(item.writing))
      if (item.seq === undefined) continue // a text being written, or a beat, has no number
      after = item.seq
      yield item
    }
    if (stream.signal?.aborted) return
    failures += 1
    const reconnect = stream.reconnect ?? (stream.wasEnded?.() ? AFTER_END : AFTER_DEATH)
    const delayMs = retryDelayMs(reconnect, failures, Math.random())
    if (delayMs === undefined) throw new DaemonGoneError("The daemon has ended.")
    await sleep(delayMs)
  }
}

/** Node's class takes headers, which the type of a browser's does not know. */
const NodeSocket = WebSocket as unknown as new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocket

/** One connection, until it ends for any reason. */
async function* connection<Item>(stream: Stream, after: number): AsyncGenerator<Item> {
  const daemon = stream.find()
  if (!daemon) return
  const inbox = new Inbox<Item>()
  const url = `${daemon.address.replace(/^http/, "ws")}${stream.path(after)}`
  const headers = { authorization: `Bearer ${daemon.token}` }
  const socket = new NodeSocket(url, { headers })
  let isOpen = false
  socket.onopen = () => {
    isOpen = true
  }
  socket.onmessage = ({ data }) => {
    if (inbox.size < QUEUE_MAX) inbox.put(JSON.parse(String(data)) as Item)
    else end()
  }
  socket.onclose = end
  socket.onerror = end
  stream.signal?.addEventListener("abort", end)
  try {
    for (let items = await inbox.take(); items.length > 0; items = await inbox.take()) yield* items
  } finally {
    stream.signal?.removeEventListener("abort", end)
    end()
  }
  if (!isOpen && !stream.signal?.aborted) await tellRefusal(daemon, stream.path(after))

  function end(): void {
    inbox.close()
    socket.close()
  }
}

/** The error of a daemon if nothing else is wrong. */
const IS_STREAM = "request.upgrade_required"

/** A WebSocket does not say why it was refused; a plain request to the same path does. */
async function tellRefusal(daemon: DaemonAddress, path: string): Promise<void> {
  try {
    await exchange(daemon, { method: "GET", path })
  } catch (error) {
    if (error instanceof RemoteError && error.code !== IS_STREAM) throw error
    // else the daemon has just gone, or the connection failed: reconnect
  }
}

/** Items that have arrived but are not read. */
class Inbox<Item> {
  #items: Item[] = []
  #closed = false
  #wake: () => void = () => {}

  get size(): number {
    return this.#items.length
  }

  put(item: Item): void {
    if (!this.#closed) this.#items.push(item)
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** All items; waits for the first. Empty once closed and read to the end. */
  async take(): Promise<Item[]> {
    while (this.#items.length === 0 && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#items.splice(0)
  }
}
