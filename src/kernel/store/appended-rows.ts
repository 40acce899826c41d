/** Events and log lines as stored: appended once, numbered. */
import type { TaskId } from "../../base/ids.ts"

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

export const LOG_KINDS = ["text", "tool", "output", "notice", "git"] as const

/** A line of a task's log as stored: messages and actions of the agent, output of the gate. */
export type LogLine = {
  /** Increasing; the cursor of followers. */
  readonly seq: number
  readonly atMs: number
  readonly task: TaskId
  readonly turn: number
  readonly kind: (typeof LOG_KINDS)[number]
  readonly text: string
  /** The agent's name for a use of a tool: that of the use and of its output; null: it is neither. */
  readonly call: string | null
}
