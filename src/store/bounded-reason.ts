/** Keeps the reason of a row short enough to be shown wherever the row is; the log has it whole. */
import type { TaskId } from "../core/ids.ts"
import { appendLog } from "./log/append.ts"
import type { Db } from "./open.ts"

/** A screenful. What a program said last tells most, so more of the end is kept. */
const HEAD_CHARS = 1_000
const END_CHARS = 3_000
/** Below what a line of a log may hold. */
const LOG_CHARS_MAX = 16_000

/** @returns `text`, its middle cut out where it is long; then the task's log gets all of it. */
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
