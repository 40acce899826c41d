/** Lines of the daemon's log, for a person. */

import type { DaemonLogLine } from "../../../api/wire/shell.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import type { Output, Style } from "../output.ts"
import { clock, minute } from "./time.ts"

const STYLES: Readonly<Record<string, Style>> = { warn: "yellow", error: "red", fatal: "red" }
/** The beginning of a stack names the place. */
const STACK_LINES_MAX = 8
const CAUSES_MAX = 5

type Told = { readonly message?: unknown; readonly stack?: unknown; readonly cause?: unknown }

export function daemonLogLines(
  output: Output,
  { at, level, text, facts }: DaemonLogLine,
): string[] {
  if (at === null) return [text]
  const { error, ...rest } = facts
  const about = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`)
  const style = STYLES[level ?? ""]
  const said = level === null ? "" : style ? output.paint(style, level) : level
  const time = `${minute(at).slice(0, 10)} ${clock(at)}`
  const first = [output.paint("dim", time), said, oneLine([text, ...about].join(" "))]
  return [first.filter(Boolean).join(" "), ...errorLines(error as Told | undefined)]
}

const plain = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value)

function errorLines(error: Told | undefined, depth = 0): string[] {
  if (!error || depth > CAUSES_MAX) return []
  const lines = String(error.stack ?? error.message ?? "").split("\n")
  const shown = lines.slice(0, STACK_LINES_MAX).map((line) => `    ${line.trim()}`)
  const cause = errorLines(error.cause as Told | undefined, depth + 1)
  return [...shown, ...(cause.length > 0 ? ["  caused by", ...cause] : [])]
}
