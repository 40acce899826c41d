/** Tells whether a disk is full: what programs say of it is words. */
import { statfs } from "node:fs/promises"

/** With less room than this, a program that failed has most likely failed for want of it. */
const ROOM_BYTES_MIN = 1024 * 1024

/** @param path anything on the file system that is asked about. */
export async function isDiskFull(path: string): Promise<boolean> {
  const room = await statfs(path).catch(() => undefined) // then the path is the trouble
  if (!room) return false
  const isOutOfFiles = room.files > 0 && room.ffree === 0
  return isOutOfFiles || room.bavail * room.bsize < ROOM_BYTES_MIN
}
