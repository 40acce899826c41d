/** `du`: how much disk space a folder takes. In another process, since the folder may be huge. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

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
