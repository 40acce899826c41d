/** The space of disks: whether one is full, and how much a folder takes. */

import { execFile } from "node:child_process"
import { statfs } from "node:fs/promises"
import { promisify } from "node:util"
import { describeFull } from "../core/sizes.ts"

/**
 * @param path anything on the file system in question.
 * @returns undefined if there is room; otherwise a sentence without a full stop, for a person.
 */
export async function findFullDisk(path: string): Promise<string | undefined> {
  const room = await statfs(path).catch(() => undefined) // the path itself is the problem then
  return room && describeFull(path, room)
}

/** A worktree of a very large repository takes seconds; beyond this the size counts as unknown. */
const DU_MS_MAX = 30_000

/** @returns bytes on this file system, a hard link counted once; undefined if unknown. */
export async function measureFolder(path: string): Promise<number | undefined> {
  const options = { timeout: DU_MS_MAX, env: { ...process.env, LC_ALL: "C" } }
  try {
    const { stdout } = await promisify(execFile)("du", ["-skx", "--", path], options)
    const kib = /^(\d+)\s/.exec(stdout)?.[1]
    return kib === undefined ? undefined : Number(kib) * 1024
  } catch {
    return undefined // gone, or only partly readable, so the size is unknown
  }
}
