/** `du`: how much room a folder takes, looked up by another process, as it may hold anything. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** A worktree of a very large repository takes seconds; what takes longer is not known. */
const DU_MS_MAX = 30_000

/** @returns bytes on this file system, a hard link counted once; undefined where it is not known. */
export async function measureFolder(path: string): Promise<number | undefined> {
  const options = { timeout: DU_MS_MAX, env: { ...process.env, LC_ALL: "C" } }
  try {
    const { stdout } = await promisify(execFile)("du", ["-skx", "--", path], options)
    const kib = /^(\d+)\s/.exec(stdout)?.[1]
    return kib === undefined ? undefined : Number(kib) * 1024
  } catch {
    return undefined // gone, or not all of it could be looked at: then nobody knows
  }
}
