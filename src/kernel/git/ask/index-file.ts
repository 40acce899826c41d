/** The file of an index: a copy for git to work on, and the number of its entries. */
import { constants, statSync, utimesSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { assertPlain, readLarge } from "../../process/plain-file.ts"
import { gitDir } from "./rev-parse.ts"

/**
 * Copies an index with its time, to a path that is free. Git rereads each file that is not older than the index, because an
 * edit in the same second may keep its time stamp. With a younger copy git would take such a file
 * for clean.
 *
 * A worktree that was never filled has no index; to git that is an empty one.
 *
 * @throws {UnreadableFileError}
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = statSync(from, { throwIfNoEntry: false })
  if (!found) return
  assertPlain(from, found)
  try {
    // We take the time from before the copy: if the index is replaced, this time is the older one.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    const seconds = Math.floor(found.mtimeMs / 1000)
    utimesSync(to, seconds, seconds)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** @see https://git-scm.com/docs/index-format */
const COUNT_AT = 8
const HEAD_BYTES = 12

/** 0 where there is no index. */
export async function countTracked(worktree: string): Promise<number> {
  const index = await readLarge(join(await gitDir(worktree), "index"))
  return index && index.length >= HEAD_BYTES ? index.readUInt32BE(COUNT_AT) : 0
}
