/** Appends to a task's log. */
import type { Db } from "../open.ts"
import { noteAppended, sql, transaction } from "../sql.ts"
import { decodeLogLine, type LogLine } from "./row.ts"

export type NewLogLine = Pick<LogLine, "task" | "turn" | "kind" | "text">

/** Longer text is cut: a log is to be read, and a page of it travels in one document. */
export const LOG_TEXT_BYTES_MAX = 64 * 1024

const APPEND = `
  insert into log_lines (at, task, turn, kind, text) values (:nowMs, :task, :turn, :kind, :text)
  returning seq, at as atMs, task, turn, kind, text`

/** Appends `line`, its text cut, with a mark, where it exceeds {@link LOG_TEXT_BYTES_MAX}. */
export function appendLog(db: Db, line: NewLogLine, nowMs: number): LogLine {
  return transaction(db, () => {
    const row = sql(db, APPEND).read({ ...line, text: bounded(line.text), nowMs })
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
  // In streaming mode a character that was cut in two at the end is left out.
  return new TextDecoder().decode(kept, { stream: true }) + mark
}
