/** Shortens the reason of a row for display; the log has the whole text. */
import type { TaskId } from "../core/ids.ts"
import { appendLog } from "./log/append.ts"
import type { Db } from "./open.ts"

/** A screenful. The end of a program's output tells most, so more of it is kept. */
const HEAD_CHARS = 1_000
const END_CHARS = 3_000
/** Below the limit of a log line. */
const LOG_CHARS_MAX = 16_000

/** @returns `text`, without its middle if it is long; then the task's log gets the whole text. */
export function boundedReason(
  db: Db,
  { task, text }: { readonly task: TaskId; readonly text: string },
  nowMs: number,
): string {
  const left = text.length - HEAD_CHARS - END_CHARS
  if (left <= 0) return text
  for (let at = 0; at < text.length; at += LOG_CHARS_MAX) {
    const part = text.slice(at, at + LOG_CHARS_MAX)
    appendLog(db, { task, turn: 0, kind: "notice", text: part }, nowMs)
  }
  const cut = `\n… ${left} characters, which \`coppice logs ${task}\` shows …\n`
  return text.slice(0, HEAD_CHARS) + cut + text.slice(-END_CHARS)
}
