/** Checks the database of a home by its first bytes, and the room that its disk has. */
import { closeSync, openSync, readSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { bytesText } from "../../base/text/sizes.ts"
import { attempt, type Check, failedCheck, passedCheck } from "./doctor-check.ts"

const FILE = "coppice.db"
/** @see https://www.sqlite.org/fileformat.html */
const MAGIC = "SQLite format 3\0"

/** @param dir the state directory, which exists and can be written. */
export function checkStore(dir: string): Check[] {
  const { bavail, bsize } = statfsSync(dir)
  return [passedCheck("disk", `${bytesText(bavail * bsize)} free`), databaseCheck(join(dir, FILE))]
}

function databaseCheck(path: string): Check {
  const begin = attempt(() => readBegin(path))
  if ("failed" in begin)
    return begin.failed.startsWith("ENOENT")
      ? passedCheck("database", "none yet")
      : failedCheck("database", begin.failed, "Make the file readable for you.")
  if (begin.value === "" || begin.value === MAGIC) return passedCheck("database", path)
  const hint =
    "Move it and its `-wal` and `-shm` files away; branches and worktrees stay as they are."
  return failedCheck("database", `${path} is damaged`, hint)
}

function readBegin(path: string): string {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    return bytes.toString("latin1", 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}
