/** Shortens the reason of a row for display; the log has the whole text. */

import type { TaskId } from "../../base/ids.ts"
import { excerpt } from "../../base/text/excerpt.ts"
import { appendLog } from "./log/append.ts"
import type { Db } from "./open.ts"

/** Below the limit of a log line. */
const LOG_CHARS_MAX = 16_000

/** @returns `text`, without its middle if it is long; then the task's log gets the whole text. */
export function boundedReason(
  db: Db,
  { task, text }: { readonly task: TaskId; readonly text: string },
  nowMs: number,
): string {
  const short = excerpt(text, (left) => `${left} characters, which \`coppice logs ${task}\` shows`)
  if (short === text) return text
  for (let at = 0; at < text.length; at += LOG_CHARS_MAX) {
    const part = text.slice(at, at + LOG_CHARS_MAX)
    appendLog(db, { task, turn: 0, kind: "notice", text: part }, nowMs)
  }
  return short
}
