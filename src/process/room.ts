/** Tells whether a disk is full: what programs say of it is words. */
import { statfs } from "node:fs/promises"
import { describeFull } from "../core/disk-room.ts"

/**
 * @param path anything on the file system that is asked about.
 * @returns undefined where there is room; else a sentence without a full stop, for a person.
 */
export async function findFullDisk(path: string): Promise<string | undefined> {
  const room = await statfs(path).catch(() => undefined) // then the path is the trouble
  return room && describeFull(path, room)
}
