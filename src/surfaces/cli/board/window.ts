/** The part of many lines that a screen has room for. */
import { columnsOf } from "../format/columns.ts"

/** @returns the first line to show, moved from `top` no more than needed to show line `at`. */
export function scrolled(top: number, at: number, lines: number, height: number): number {
  const least = Math.max(0, at - height + 1)
  const wanted = Math.min(Math.max(top, least), at)
  return Math.max(0, Math.min(wanted, lines - height))
}

const PIECES = /\x1b\[\d+m|./gsu
const TAB_COLUMNS = 8

/** Breaks lines that are too long, and expands tabs. Colour codes take no room. */
export function wrapped(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    if (line.length <= columns && !line.includes("\t")) return [line]
    const rows = [""]
    let used = 0
    for (const [piece] of line.matchAll(PIECES)) {
      const isTab = piece === "\t"
      const text = isTab ? " ".repeat(TAB_COLUMNS - (used % TAB_COLUMNS)) : piece
      const size = piece.startsWith("\x1b") ? 0 : isTab ? text.length : columnsOf(piece)
      if (used + size > columns) {
        rows.push("")
        used = 0
      }
      rows[rows.length - 1] += text
      used += size
    }
    return rows
  })
}
