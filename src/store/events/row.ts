/** An event as stored: something that happened, appended once, numbered. */
import type { TaskId } from "../../core/ids.ts"
import type { SqlRow } from "../sql.ts"

export type EventData = Readonly<Record<string, unknown>>

export type StoredEvent = {
  /** Grows; the cursor of those who follow. Numbers may be missing. */
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

/** One that is spoilt does not keep those who follow from all that came later. */
function parse(data: string): EventData {
  try {
    return JSON.parse(data)
  } catch {
    return { unreadable: data }
  }
}
