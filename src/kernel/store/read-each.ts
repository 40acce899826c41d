/** Reads rows one by one, so that a damaged row does not hide the others. */
import { AppError } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import type { SqlRow } from "./sql.ts"

/** A task with a damaged row, which is left as it is. */
export type Unreadable = { readonly task: TaskId; readonly error: string }

/** @returns the readable rows, in order; reports the others to `tell`. */
export function readEach<T>(
  rows: readonly SqlRow[],
  read: (row: SqlRow) => T,
  tell: (row: SqlRow, error: string) => void = () => {},
): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      // An error of the file itself (full, busy, broken) does not concern one row.
      if (error instanceof AppError && error.blame !== "bug") throw error
      tell(row, error instanceof Error ? error.message : String(error))
      return []
    }
  })
}
