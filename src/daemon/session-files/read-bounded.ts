/** Reads a small file that an agent writes, which may be anything, or gone by now. */
import { constants } from "node:fs"
import { open } from "node:fs/promises"

/** A report is a few lines. */
const BYTES_MAX = 64 * 1024

/** @returns undefined where it is no plain small file: never a link followed, never a pipe waited for. */
export async function readBounded(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => undefined)
  if (!file) return undefined
  try {
    const stat = await file.stat()
    return stat.isFile() && stat.size <= BYTES_MAX ? await file.readFile("utf8") : undefined
  } finally {
    await file.close()
  }
}
