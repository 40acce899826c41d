/**
 * Watches one task until nothing more happens to it unless a person acts.
 *
 * Events and log come over two connections; they are handed out as they arrive, and before the
 * last event comes the rest of the log.
 */
import { isSettled, type TaskState } from "../core/task.ts"
import type { EventDocument, LogLineDocument } from "../core/wire.ts"
import type { Client } from "./client.ts"

export type Seen =
  | { readonly kind: "event"; readonly event: EventDocument }
  | { readonly kind: "line"; readonly line: LogLineDocument }

/** @param id the task's id. Ends early, without a word, when `signal` aborts. */
export async function* watchTask(
  client: Client,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<Seen, void, undefined> {
  const ended = new AbortController()
  const until = { signal: AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]) }
  const events = map(client.followEvents({ task: id, ...until }), asEvent)
  const lines = map(client.followLog(id, until), asLine)
  let lastLine = 0
  try {
    // Where both are there, words come first: an agent speaks before its turn ends.
    for await (const seen of merge(lines, events)) {
      if (seen.kind === "line") lastLine = seen.line.seq
      const last = await endsWatch(client, id, seen)
      if (last) yield* map(restOfLog(client, id, lastLine), asLine)
      yield seen
      if (last) return
    }
  } finally {
    ended.abort()
  }
}

const asEvent = (event: EventDocument): Seen => ({ kind: "event", event })
const asLine = (line: LogLineDocument): Seen => ({ kind: "line", line })

/** An event may be an old one, of a task that was started again since: so the task is asked. */
async function endsWatch(client: Client, id: string, seen: Seen): Promise<boolean> {
  const to = seen.kind === "event" && seen.event.type.startsWith("task.") && seen.event.data["to"]
  if (typeof to !== "string" || !isSettled(to as TaskState)) return false
  const { state } = await client.show(id)
  return isSettled(state as TaskState)
}

/** The log behind number `after`, page by page. */
export async function* restOfLog(
  client: Client,
  ref: string,
  after: number,
): AsyncGenerator<LogLineDocument, void, undefined> {
  for (;;) {
    const { lines } = await client.log(ref, { after })
    const last = lines.at(-1)
    if (!last) return
    yield* lines
    after = last.seq
  }
}

async function* map<In, Out>(items: AsyncIterable<In>, change: (item: In) => Out) {
  for await (const item of items) yield change(item)
}

/** Items of both, as they come; ends when both have ended. */
async function* merge<Item>(...sources: AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const next = (source: AsyncGenerator<Item>) =>
    source.next().then((result) => ({ source, result }))
  const waiting = new Map(sources.map((source) => [source, next(source)]))
  while (waiting.size > 0) {
    const { source, result } = await Promise.race(waiting.values())
    if (result.done) waiting.delete(source)
    else {
      waiting.set(source, next(source))
      yield result.value
    }
  }
}
