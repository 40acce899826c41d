/** The events until now. */
import type { EventDocument } from "../core/wire.ts"
import type { Client, EventQuery } from "./client.ts"

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
