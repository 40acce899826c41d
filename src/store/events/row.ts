/** An event as stored: something that happened, appended once, numbered. */
import type { TaskId } from "../../core/ids.ts"
import type { SqlRow } from "../sql.ts"

export type EventData = Readonly<Record<string, unknown>>

export type StoredEvent = {
  /** Increasing; the cursor of followers. Numbers may be missing. */
  readonly seq: number
  readonly atMs: number
  /** E.g. `task.landing_requested`. */
  readonly type: string
  readonly task: TaskId | null
  readonly data: EventData
}

export function decodeEvent({ data, ...rest }: SqlRow): StoredEvent {
  return { ...rest, data: parse(data as string) } as StoredEvent
}

/** A damaged event does not hide later ones from followers. */
function parse(data: string): EventData {
  try {
    return JSON.parse(data)
  } catch {
    return { unreadable: data }
  }
}
