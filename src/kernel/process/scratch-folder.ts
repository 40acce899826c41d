/**
 * Short-lived folders in the system's temporary folder.
 *
 * The code that makes one removes it. All of a process lie in one folder, which a fence can hide before they
 * are made. It goes with the process, or is swept away a day after a kill. It names its process, because a
 * turn of an agent may last longer and needs its folder.
 */
import { accessSync, constants, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { AppError } from "../../base/errors.ts"

const PREFIX = "coppice-scratch-"
const PROCESS = /coppice-scratch-(\d+)-[^/]*$/
/** A process in another container may share the temporary folder, and its number means nothing here. */
const AGE_MS_MIN = 24 * 3600_000

export type Scratch = Disposable & { readonly path: string }

/** There is no folder for temporary files. A wait, as for a full disk: it may come back. */
class NoTemporaryFolderError extends AppError {
  constructor(folders: readonly string[]) {
    const message = `no folder for temporary files can be written to: ${folders.join(", ")}`
    super("system.no_temporary_folder", "world", message, {
      transient: true,
      hints: ["Make one of them again, or restart the daemon with another TMPDIR."],
    })
  }
}

/** TMPDIR may be the folder of a shell that started the daemon, and be gone with it. */
const folders = (): string[] => [...new Set([tmpdir(), "/tmp", "/var/tmp"])]

/** An empty folder, removed with its contents when it is disposed of. @throws {AppError} as above. */
export function makeScratch(): Scratch {
  const path = mkdtempSync(`${ownFolder()}/`)
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, [Symbol.dispose]: remove }
}

/** By the folder that it lies in. */
const own = new Map<string, string>()

/** @throws {AppError} as above. */
function ownFolder(): string {
  const root = folders().find(isWritable)
  if (root === undefined) throw new NoTemporaryFolderError(folders())
  const found = own.get(root)
  if (found && isOurs(found)) return found
  const path = mkdtempSync(join(root, `${PREFIX}${process.pid}-`))
  own.set(root, path)
  process.once("exit", () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The folders of this process, also for later, and of others that run or were killed. */
export function listScratch(): string[] {
  ownFolder()
  return folders()
    .filter(isWritable)
    .flatMap((root) => readdirSync(root).map((name) => join(root, name)))
    .filter((path) => basename(path).startsWith(PREFIX) && isOurs(path))
}

/** A tidying system may have removed it, and another user made one of its name. */
function isOurs(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === process.getuid?.()
}

/** Removes what killed programs of this user have left. */
export async function sweepScratch(): Promise<void> {
  for (const root of folders().filter(isWritable)) {
    const names = (await readdir(root)).filter((name) => name.startsWith(PREFIX))
    for (const path of names.map((name) => join(root, name)))
      if (await isLeft(path)) await rm(path, { recursive: true, force: true })
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false // the folder is gone, or closed to us: the next one serves
  }
}

async function isLeft(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await lstat(path)
    const isOld = Date.now() - mtimeMs >= AGE_MS_MIN
    return isOurs(path) && isOld && !isRunning(Number(PROCESS.exec(path)?.[1]))
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
