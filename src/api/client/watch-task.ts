/**
 * Watches one task until only a person can move it on.
 *
 * Events and log come over two connections, oldest first. The log so far comes before the event that
 * ends a turn, and before the last event: the connections do not wait for each other.
 */
import { setImmediate } from "node:timers/promises"
import { isSettled, type TaskState } from "../../kernel/tasks/rules.ts"
import type { EventDocument, LogLineDocument } from "../wire/events.ts"
import type { Client, EventQuery } from "./client.ts"

export type Seen =
  | { readonly kind: "event"; readonly event: EventDocument }
  | { readonly kind: "line"; readonly line: LogLineDocument }

export type Watching = {
  readonly signal?: AbortSignal | undefined
  /** The last event and line that were seen; default: all are new. */
  readonly after?: { readonly event: number; readonly line: number } | undefined
  /** Called with the message that its agent is writing. */
  readonly onWriting?: ((text: string) => void) | undefined
}

/** @param id the task's id. Ends early, without an error, when `signal` aborts. */
export async function* watchTask(
  client: Client,
  id: string,
  { signal, after = { event: 0, line: 0 }, onWriting }: Watching = {},
): AsyncGenerator<Seen, void, undefined> {
  const ended = new AbortController()
  const until = { signal: AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]) }
  const events = map(client.followEvents({ task: id, after: after.event, ...until }), asEvent)
  const lines = map(client.followLog(id, { after: after.line, onWriting, ...until }), asLine)
  let lastLine = after.line
  try {
    // The task's creation, before which there is no log.
    const created = after.event > 0 ? undefined : await events.next()
    for await (const seen of startingWith(created?.value || undefined, merge(lines, events))) {
      if (seen.kind === "line" && seen.line.seq <= lastLine) continue
      if (seen.kind === "line") lastLine = seen.line.seq
      const last = await endsWatch(client, id, seen)
      if (last || endsTurn(seen))
        for await (const line of restOfLog(client, id, lastLine)) {
          lastLine = line.seq
          yield asLine(line)
        }
      yield seen
      if (last && isGap(seen))
        for await (const event of pastEvents(client, { task: id, after: seen.event.seq }))
          yield asEvent(event)
      if (last) return
    }
  } finally {
    ended.abort()
  }
}

const asEvent = (event: EventDocument): Seen => ({ kind: "event", event })
const asLine = (line: LogLineDocument): Seen => ({ kind: "line", line })

const endsTurn = (seen: Seen) => seen.kind === "event" && seen.event.type === "turn.ended"

/** The event that ended the watch may have been deleted by the retention, so the gap ends it too. */
const isGap = (seen: Seen): seen is Extract<Seen, { kind: "event" }> =>
  seen.kind === "event" && seen.event.type === "events.forgotten"

/** The event may be old, and the task started again since, so ask for the task. */
async function endsWatch(client: Client, id: string, seen: Seen): Promise<boolean> {
  if (seen.kind !== "event") return false
  const { type, data } = seen.event
  // A landing that waits may continue automatically, or need a person.
  if (type === "landing.blocked") return (await client.show(id)).attention
  const to = type.startsWith("task.") && data["to"]
  const isEnd = typeof to === "string" && isSettled(to as TaskState)
  if (!isEnd && !isGap(seen)) return false
  const { state } = await client.show(id)
  return isSettled(state as TaskState)
}

/** Where a watcher of what comes next begins. Look at the task after this call: no event says what came before. */
export async function watchFrom(client: Client, id: string): Promise<Watching["after"]> {
  const [{ events }, { lines }] = await Promise.all([
    client.events({ task: id, last: 1 }),
    client.log(id, { last: 1 }),
  ])
  return { event: events.at(-1)?.seq ?? 0, line: lines.at(-1)?.seq ?? 0 }
}

/** The log behind number `after`, page by page. @param kind `git`: its git commands instead. */
export async function* restOfLog(
  client: Client,
  ref: string,
  after: number,
  kind?: "git",
): AsyncGenerator<LogLineDocument, void, undefined> {
  for (;;) {
    const { lines } = await client.log(ref, kind ? { after, kind } : { after })
    const last = lines.at(-1)
    if (!last) return
    yield* lines
    after = last.seq
  }
}

async function* map<In, Out>(items: AsyncIterable<In>, change: (item: In) => Out) {
  for await (const item of items) yield change(item)
}

type Source = AsyncGenerator<Seen, void, undefined>

async function* startingWith(first: Seen | undefined, rest: Source): Source {
  if (first) yield first
  yield* rest
}

/** Items of both sources, oldest first; ends when both have ended. */
async function* merge(...sources: Source[]): Source {
  const heads = new Map<Source, Seen>()
  const coming = new Map<Source, Promise<void>>()
  const take = async (source: Source): Promise<void> => {
    const { value } = await source.next()
    coming.delete(source)
    if (value) heads.set(source, value)
  }
  for (const source of sources) coming.set(source, take(source))
  while (heads.size + coming.size > 0) {
    if (heads.size === 0) await Promise.race(coming.values())
    // The item of the other source may be here as well.
    await Promise.race([...coming.values(), setImmediate()])
    const [oldest] = [...heads].sort(([, one], [, other]) => (isBefore(one, other) ? -1 : 1))
    if (!oldest) continue
    const [source, seen] = oldest
    heads.delete(source)
    yield seen
    coming.set(source, take(source))
  }
}

/** At equal times the log comes first: an agent speaks before its turn ends. */
function isBefore(one: Seen, other: Seen): boolean {
  const [at, otherAt] = [timeOf(one), timeOf(other)]
  return at < otherAt || (at === otherAt && one.kind === "line")
}

const timeOf = (seen: Seen): string => (seen.kind === "line" ? seen.line.at : seen.event.at)

/** Page by page, oldest first. */
export async function* pastEvents(
  client: Client,
  query: EventQuery,
): AsyncGenerator<EventDocument, void, undefined> {
  for (let after = query.after ?? 0; ; ) {
    const { events } = await client.events({ ...query, after })
    const last = events.at(-1)
    if (!last) return
    yield* events
    after = last.seq
  }
}
