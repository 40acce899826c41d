/**
 * Keeps the page up to date: reads the lines of tasks again after events, and passes events on.
 *
 * Events carry a cursor. A connection that breaks continues after the last event seen, so that no event
 * is missed or seen twice.
 */
import { useSyncExternalStore } from "react"
import type { EventDocument, WritingDocument } from "../../src/api/wire/events.ts"
import { BEAT, BEAT_MS, SILENT_BEATS_MAX } from "../../src/api/wire/heartbeat.ts"
import { addressOf, ROUTES } from "../../src/api/wire/routes.ts"
import type { TaskLinesDocument } from "../../src/api/wire/tasks.ts"
import { api, forgetProof, openSocket } from "./api.ts"
import { Lines } from "./lines.ts"
import { oneAtATime } from "./one-at-a-time.ts"
import { LOGGED_OUT, RequestError, UNREACHABLE } from "./request-error.ts"

/** The shortest time between two readings after events: of the lines of their tasks, and of the whole list. */
const LINES_MS_MIN = 25
const LIST_MS_MIN = 100
/** The last act of an agent is a line of its log, for which there is no event. */
const POLL_MS = 2_000
const RETRY_MS = 1_000

export type Fleet = {
  /** `offline`: what the page shows may be old. */
  readonly state: "starting" | "live" | "offline" | "loggedOut"
  readonly list: TaskLinesDocument | undefined
  readonly home: string
  /** Why it is offline. */
  readonly reason: string
}

type Numbered = { readonly seq: number }

const FORGOTTEN = "events.forgotten"
const lines = new Lines()
let fleet: Fleet = { state: "starting", list: undefined, home: "", reason: "" }
const watchers = new Set<() => void>()
const listeners = new Set<(event: EventDocument) => void>()

function update(change: Partial<Fleet>): void {
  fleet = { ...fleet, ...change }
  for (const watcher of watchers) watcher()
}

export function useFleet(): Fleet {
  return useSyncExternalStore(watchFleet, () => fleet)
}

/** Whether requests are answered now. */
export function useIsLive(): boolean {
  return useSyncExternalStore(watchFleet, () => fleet.state === "live")
}

function watchFleet(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Calls `listener` with each event, until the returned function is called. */
export function onEvents(listener: (event: EventDocument) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Starts once, when the page is logged in. */
export async function goLive(): Promise<void> {
  try {
    const [last] = (await api.events({ last: 1 })).events
    const { home } = await api.status()
    update({ home })
    readList()
    setInterval(() => document.hidden || readList(), POLL_MS)
    followEvents(last?.seq ?? 0)
  } catch (error) {
    goOffline(error)
    if (fleet.state === "offline") setTimeout(() => void goLive(), RETRY_MS)
  }
}

function followEvents(after: number): void {
  const onItem = (event: EventDocument) => {
    for (const listener of listeners) listener(event)
    if (event.type === FORGOTTEN) lines.forget()
    if (event.task === null) return readList()
    lines.touch(event.task)
    readTouched()
  }
  follow("followEvents", "", {
    after,
    onItem,
    onState: (isOpen) => update(isOpen ? { state: "live", reason: "" } : { state: "offline" }),
  })
}

type Following<Item> = {
  readonly after: number
  onItem(item: Item): void
  /** Called with what the agent is writing now. */
  onWriting?(text: string): void
  onState?(isOpen: boolean): void
}

/** Each closes one connection and opens it again, at its cursor. */
const reconnects = new Set<() => void>()

/**
 * Follows until the returned function is called. A connection that breaks, falls silent, or stays
 * open while requests get no answer is reopened at its cursor.
 */
export function follow<Item extends Numbered>(
  name: "followEvents" | "followLog",
  ref: string,
  { after, onItem, onWriting, onState = () => {} }: Following<Item>,
): () => void {
  const { path } = addressOf(ROUTES[name].at, ref)
  let cursor = after
  let socket: WebSocket | undefined
  let timer: number | undefined
  let silentBeats = 0
  let isOver = false
  const end = () => {
    if (socket) socket.onopen = socket.onmessage = socket.onclose = null
    socket?.close()
    socket = undefined
  }
  const retry = () => {
    end()
    if (isOver || timer !== undefined) return
    forgetProof()
    onState(false)
    // A socket does not say why it closed; a request does.
    readList()
    timer = window.setTimeout(() => {
      timer = undefined
      void open().catch(retry)
    }, RETRY_MS)
  }
  const open = async () => {
    const more = onWriting ? "&writing=true" : ""
    const opened = await openSocket(`${path}?after=${cursor}&beats=true${more}`)
    if (isOver || socket || timer !== undefined) return opened.close()
    socket = opened
    silentBeats = 0
    socket.onopen = () => {
      onState(true)
      readList()
    }
    socket.onmessage = ({ data }) => {
      silentBeats = 0
      if (data === BEAT) return
      const item = JSON.parse(String(data)) as Item | WritingDocument
      if ("writing" in item) return onWriting?.(item.writing)
      cursor = Math.max(cursor, item.seq)
      onItem(item)
    }
    socket.onclose = retry
  }
  const beats = setInterval(() => socket && silentBeats++ >= SILENT_BEATS_MAX && retry(), BEAT_MS)
  reconnects.add(retry)
  void open().catch(retry)
  return () => {
    isOver = true
    clearInterval(beats)
    window.clearTimeout(timer)
    reconnects.delete(retry)
    end()
  }
}

const readList = oneAtATime(async () => {
  if (fleet.state === "loggedOut") return
  try {
    update({ list: await lines.readRecent() })
    readTouched()
    for await (const tasks of lines.readHistory()) updateTasks(tasks)
  } catch (error) {
    goOffline(error)
  }
  await new Promise((resolve) => setTimeout(resolve, LIST_MS_MIN))
})

const readTouched = oneAtATime(async () => {
  if (!fleet.list) return
  await lines.readTouched().then(updateTasks, goOffline)
  await new Promise((resolve) => setTimeout(resolve, LINES_MS_MIN))
  if (lines.isTouched && fleet.state === "live") readTouched()
})

function updateTasks(tasks: TaskLinesDocument["tasks"] | undefined): void {
  if (tasks && fleet.list) update({ list: { ...fleet.list, tasks } })
}

/** Shows that the daemon does not answer, or that this browser is logged out. */
export function goOffline(error: unknown): void {
  if (!(error instanceof RequestError)) throw error
  const state = error.code === LOGGED_OUT ? "loggedOut" : "offline"
  update({ state, reason: error.message })
  // Only a new connection shows that the daemon is there again.
  if (error.code === UNREACHABLE) for (const reconnect of reconnects) reconnect()
}
