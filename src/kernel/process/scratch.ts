/**
 * Short-lived folders in the system's temporary folder.
 *
 * The code that makes one removes it. If it is killed first, the folder is swept away after a day. A
 * folder names its process, because a turn of an agent may last longer and needs its folder.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const PREFIX = "coppice-scratch-"
const PROCESS = /coppice-scratch-(\d+)-[^/]*$/
/** A process in another container may share the temporary folder, and its number means nothing here. */
const AGE_MS_MIN = 24 * 3600_000

export type Scratch = Disposable & { readonly path: string }

/** An empty folder, removed with its contents when it is disposed of. */
export function makeScratch(): Scratch {
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, [Symbol.dispose]: remove }
}

/** Removes what killed programs of this user have left. */
export async function sweepScratch(): Promise<void> {
  const root = tmpdir()
  const names = (await readdir(root)).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(root, name)))
    if (await isLeft(path)) await rm(path, { recursive: true, force: true })
}

async function isLeft(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path)
    const isOurs = stat.isDirectory() && stat.uid === process.getuid?.()
    const isOld = Date.now() - stat.mtimeMs >= AGE_MS_MIN
    return isOurs && isOld && !isRunning(Number(PROCESS.exec(path)?.[1]))
  } catch {
    return false // the folder has gone
  }
}

/** @param pid NaN for a folder that names none. */
function isRunning(pid: number): boolean {
  if (Number.isNaN(pid)) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}
