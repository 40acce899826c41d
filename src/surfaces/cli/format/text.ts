/** Makes outside text safe to show on a terminal. */
import { oneLine } from "../../../base/text/one-line.ts"
import { firstPart, width } from "./columns.ts"

/** A shorter text is shown in full, such as a reason with its hints. */
const GIST_LINES_MAX = 4

/** A long report on one line: its first line and its last three, which are the cause and the advice. */
export function gist(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  if (lines.length <= GIST_LINES_MAX) return oneLine(text)
  const [last = "", ...advice] = lines.slice(-3)
  const cause = causeOfNpm(lines) ?? last
  const mark = cause.startsWith("…") ? [] : ["…"] // the record of a long reason has its own
  return oneLine([lines[0], ...mark, cause, ...advice].join("\n"))
}

/** npm names the cause right after its code, and ends with the place of a log. */
function causeOfNpm(lines: readonly string[]): string | undefined {
  const code = lines.findLastIndex((line) => /^npm (error|ERR!) code /.test(line))
  const cause =
    /^npm (error|ERR!) (?!syscall |path |dest |errno |command failed|A complete log )\S.* /
  return code < 0 ? undefined : lines.slice(code + 1).find((line) => cause.test(line))
}

/** `text` in at most `columns` columns, with `…` if it was cut. */
export function cut(text: string, columns: number): string {
  if (text.includes("\x1b") || width(text) <= columns) return text
  return columns < 1 ? "" : `${firstPart(text, columns - 1)}…`
}

/** A small amount keeps two digits that count. */
export function dollars(usd: number): string {
  return `$${usd > 0 && usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2)}`
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
