/** Sets rows in columns. Widths are counted in characters, colours not among them. */
import { util } from "../../client/builtins.ts"
import { cut } from "./text.ts"

const GAP = "  "

/**
 * @param columns how wide a line may be: the last cell is cut there. Undefined: nothing is cut.
 * @returns one line per row.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.slice(0, -1).entries())
      widths[at] = Math.max(widths[at] ?? 0, width(cell))
  return rows.map((row) => formatRow(row, widths, columns))
}

function formatRow(row: readonly string[], widths: readonly number[], columns: number): string {
  const padded = row.slice(0, -1).map((cell, at) => pad(cell, widths[at] ?? 0))
  const before = [...padded, ""].join(GAP)
  return `${before}${cut(row.at(-1) ?? "", columns - width(before))}`.trimEnd()
}

function pad(cell: string, to: number): string {
  return cell + " ".repeat(Math.max(0, to - width(cell)))
}

function width(cell: string): number {
  return isPlain(cell) ? cell.length : [...util.stripVTControlCharacters(cell)].length
}

/** One column per char: what nearly all cells are, and quick to see. */
function isPlain(cell: string): boolean {
  return !/[^ -~]/.test(cell)
}
