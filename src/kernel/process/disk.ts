/** Disks: whether one is full or read-only, how much a folder takes, and whether a pipe lies there. */

import { execFile } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { access, constants, statfs } from "node:fs/promises"
import { promisify } from "node:util"
import { describeFull } from "../../base/text/sizes.ts"

/**
 * Tells why nothing can be written on a disk. Programs often leave that out of their errors.
 *
 * @param path anything on the file system in question.
 * @returns undefined if there is room; otherwise a sentence without a full stop, for a person.
 */
export async function findDiskTrouble(path: string): Promise<string | undefined> {
  const isReadOnly = await access(path, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "EROFS",
  )
  // A read-only image has no free blocks either, and deleting files makes no room there.
  if (isReadOnly) return `the disk of ${path} is read-only`
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

/** Whether a named pipe lies in this folder, where git or an agent would wait for it. */
export const hasPipe = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isFIFO())

/** A large repository takes half a second. */
const FIND_MS_MAX = 5_000

/** Whether a named pipe lies anywhere in the folder, outside of `node_modules`; false if unknown. */
export async function holdPipe(folder: string): Promise<boolean> {
  const pruned = ["-name", "node_modules", "-prune", "-o", "-type", "p", "-print"]
  const found = promisify(execFile)("find", [folder, ...pruned], { timeout: FIND_MS_MAX })
  const { stdout } = await found.catch(({ stdout = "" }) => ({ stdout })) // perhaps partly unreadable
  return stdout !== ""
}
