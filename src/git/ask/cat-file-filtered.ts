/** `git cat-file --filters`: a file's content as a checkout would write it. */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch.ts"
import { indexEnv } from "../start/environment.ts"
import { OutputTooLongError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { joinBytes } from "../start/path.ts"

/**
 * The bytes that a checkout writes for this blob at this path: line ends and filters applied, as
 * they are configured here; of a symbolic link, its target.
 */
export async function readFiltered(cwd: string, oid: Oid, path: GitPath): Promise<Buffer> {
  const stdin = Buffer.from(`${oid} ${path}\0`, "latin1")
  try {
    const { stdout } = await git(cwd, ["cat-file", "--batch", "--filters", "-z"], { stdin })
    return Buffer.from(stdout.slice(stdout.indexOf("\n") + 1, -1), "latin1")
  } catch (error) {
    if (error instanceof OutputTooLongError) return await readByFile(cwd, oid, path)
    throw error
  }
}

/** For a file larger than our output limit. */
async function readByFile(cwd: string, oid: Oid, path: GitPath): Promise<Buffer> {
  using scratch = makeScratch()
  const env = indexEnv(join(scratch.path, "index"))
  const entry = Buffer.from(`100644 ${oid}\t${path}\0`, "latin1")
  await git(cwd, ["update-index", "-z", "--index-info"], { stdin: entry, env })
  const args = ["checkout-index", "-z", "--stdin", `--prefix=${scratch.path}/`]
  await git(cwd, args, { stdin: Buffer.from(`${path}\0`, "latin1"), env })
  const bytes = await readLarge(joinBytes(scratch.path, path), { follows: false })
  assert(bytes, "git has checked the file out")
  return bytes
}
