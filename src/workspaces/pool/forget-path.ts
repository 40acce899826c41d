/** Forgets an entry of a pool, and gives its path back where nothing ever came of it. */
import { rmdirSync } from "node:fs"
import type { Db } from "../../store/open.ts"
import { removePoolEntry } from "../../store/pool/remove.ts"

/** A folder with anything in it stays: it is somebody's. */
export function forgetPath(db: Db, path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // it is gone, or in use
  }
  removePoolEntry(db, path)
}
