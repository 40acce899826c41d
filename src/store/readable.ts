/** Reads rows one by one: one that somebody or a broken disk has spoilt does not hide the others. */
import { AppError } from "../core/errors.ts"
import type { TaskId } from "../core/ids.ts"
import type { SqlRow } from "./sql.ts"

/** A task of which a row makes no sense. It is left as it is. */
export type Unreadable = { readonly task: TaskId; readonly error: string }

/** @returns what could be read, in its order; the rest is told to `tell`. */
export function readEach<T>(
  rows: readonly SqlRow[],
  read: (row: SqlRow) => T,
  tell: (row: SqlRow, error: string) => void = () => {},
): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      // What the store itself says of its file (full, busy, broken) is no matter of one row.
      if (error instanceof AppError && error.blame !== "bug") throw error
      tell(row, error instanceof Error ? error.message : String(error))
      return []
    }
  })
}
