/** A line of a task's log as stored: words and actions of the agent, output of the gate. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import type { SqlRow } from "../sql.ts"

const KINDS = ["text", "tool", "output", "notice", "git"] as const

export type LogLine = {
  /** Increasing; the cursor of followers. */
  readonly seq: number
  readonly atMs: number
  readonly task: TaskId
  readonly turn: number
  readonly kind: (typeof KINDS)[number]
  readonly text: string
}

export function decodeLogLine(row: SqlRow): LogLine {
  assert((KINDS as readonly unknown[]).includes(row["kind"]), "a stored log line has a known kind")
  return row as LogLine
}
