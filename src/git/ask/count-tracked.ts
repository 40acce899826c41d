/** Counts the files that git tracks in a worktree, from the header of its index. */
import { join } from "node:path"
import { readLarge } from "../../process/plain-file.ts"
import { gitDir } from "./rev-parse.ts"

/** @see https://git-scm.com/docs/index-format */
const COUNT_AT = 8
const HEAD_BYTES = 12

/** 0 where there is no index. */
export async function countTracked(worktree: string): Promise<number> {
  const index = await readLarge(join(await gitDir(worktree), "index"))
  return index && index.length >= HEAD_BYTES ? index.readUInt32BE(COUNT_AT) : 0
}
