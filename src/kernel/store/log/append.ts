/** Appends to a task's log. */

import type { LogLine } from "../appended-rows.ts"
import type { Db } from "../open.ts"
import { noteAppended, sql, transaction } from "../sql.ts"
import { decodeLogLine } from "./list.ts"

export type NewLogLine = Pick<LogLine, "task" | "turn" | "kind" | "text"> &
  Partial<Pick<LogLine, "call">>

/** Longer text is cut: people read a log, and one document carries a page of it. */
export const LOG_TEXT_BYTES_MAX = 64 * 1024

const APPEND = `
  insert into log_lines (at, task, turn, kind, text, call)
  values (:nowMs, :task, :turn, :kind, :text, :call)
  returning seq, at as atMs, task, turn, kind, text, call`

/** Appends `line`, with a mark if its text is cut to {@link LOG_TEXT_BYTES_MAX}. */
export function appendLog(db: Db, line: NewLogLine, nowMs: number): LogLine {
  return transaction(db, () => {
    const row = sql(db, APPEND).read({ call: null, ...line, text: bounded(line.text), nowMs })
    const logLine = decodeLogLine(row)
    noteAppended(db, { logLine })
    return logLine
  })
}

function bounded(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= LOG_TEXT_BYTES_MAX) return text
  const mark = `\n[cut: ${bytes} bytes in all]`
  const kept = Buffer.from(text).subarray(0, LOG_TEXT_BYTES_MAX - mark.length)
  // Streaming mode drops a character that the cut split in two.
  return new TextDecoder().decode(kept, { stream: true }) + mark
}
