/** Aligns rows in columns. */
import { width } from "./columns.ts"
import { cut } from "./text.ts"

export const GAP = "  "

/**
 * @param columns the line width at which the last cell is cut; undefined cuts nothing.
 * @returns one line per row.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const widths: number[] = []
  const sizes = rows.map((row) =>
    row.slice(0, -1).map((cell, at) => {
      const size = width(cell)
      if (size > (widths[at] ?? 0)) widths[at] = size
      return size
    }),
  )
  const left = columns - widths.reduce((sum, one) => sum + one + GAP.length, 0)
  return rows.map((row, n) => {
    const padded = sizes[n]!.map((size, at) => row[at] + " ".repeat((widths[at] ?? 0) - size) + GAP)
    return (padded.join("") + cut(row.at(-1) ?? "", left)).trimEnd()
  })
}
