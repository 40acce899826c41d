/** Says whether a disk is full; we do not parse the error messages of programs. */
import { statfs } from "node:fs/promises"
import { describeFull } from "../core/sizes.ts"

/**
 * @param path anything on the file system in question.
 * @returns undefined if there is room; otherwise a sentence without a full stop, for a person.
 */
export async function findFullDisk(path: string): Promise<string | undefined> {
  const room = await statfs(path).catch(() => undefined) // the path itself is the problem then
  return room && describeFull(path, room)
}
