/** `git write-tree`: the index as a tree. */
import { existsSync } from "node:fs"
import { copyFile, utimes } from "node:fs/promises"
import { join } from "node:path"
import type { Oid } from "../../../base/ids.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { indexEnv } from "../start/environment.ts"
import { gitNeedingIndex } from "./index-lock.ts"

/** Later than the time of any file: the year 2038. */
const FUTURE_S = 2 ** 31 - 1

/**
 * @param indexFile an index other than the worktree's own, absolute; it stays as it is.
 * @throws {IndexLockedError} @throws {GitError} while the index holds conflicts.
 */
export async function writeTree(
  cwd: string,
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<Oid> {
  if (indexFile === undefined || !existsSync(indexFile)) return await write(cwd, indexFile)
  // Git also writes the index back. Before that it reads each file that is not older than the index,
  // which may be all of them. So it gets a copy that is younger, and the copy is thrown away.
  using scratch = makeScratch()
  const copy = join(scratch.path, "index")
  await copyFile(indexFile, copy)
  await utimes(copy, FUTURE_S, FUTURE_S)
  return await write(cwd, copy)
}

async function write(cwd: string, indexFile: string | undefined): Promise<Oid> {
  const { stdout } = await gitNeedingIndex(cwd, ["write-tree"], { env: indexEnv(indexFile) })
  return stdout.trim() as Oid
}
