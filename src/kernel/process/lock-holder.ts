/**
 * Checks whether a lock file that git made still has a holder. Git writes no owner into it.
 *
 * The process that made a lock ran before we saw it. So if it still runs, it is among the processes that
 * run now: it has the file open, or it is a git that works in the repository. We look at the file
 * before and after, so the answer is about one and the same lock. Files and folders are compared by
 * inode: a container, or a link, gives the same folder another path.
 */
import { readdirSync, readlinkSync, type Stats, statSync } from "node:fs"
import { basename, isAbsolute } from "node:path"
import { isYoung } from "../../base/wall-wait.ts"
import { seesAllProcesses } from "./process-identity.ts"
import { listRunning, readProcess, readProcFile } from "./process-table.ts"

export type LockFate =
  | "held"
  | "dead"
  /** The lock's holder may be invisible to us: run by another user, or in another container. */
  | "unknown"
  | "gone"

export type LockPlace = {
  /** Where a holder works: the repository's common git directory and its worktrees. */
  readonly folders: readonly string[]
  /**
   * For this long the holder may be a program that has closed the file and is about to rename it.
   */
  readonly patienceMs: number
}

/** @param lock absolute. */
export function judgeLock(lock: string, { folders, patienceMs }: LockPlace): LockFate {
  const before = look(lock)
  if (!before) return "gone"
  if (isYoung(before.mtimeMs, patienceMs, Date.now())) return "held"
  if (!canSeeHolder(before)) return "unknown"
  const file = { name: basename(lock), inode: inodeOf(lock) }
  const places = new Set(folders.flatMap((folder) => inodeOf(folder) ?? []))
  const isHeld = listRunning().some(({ pid }) => hasOpen(pid, file) || isGitIn(pid, places))
  const after = look(lock)
  if (!after) return "gone"
  return isHeld || after.ino !== before.ino || after.mtimeMs !== before.mtimeMs ? "held" : "dead"
}

const look = (path: string) => statSync(path, { throwIfNoEntry: false })

function canSeeHolder({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return seesAllProcesses() && (own === 0 || own === uid)
}

/** The identity of a file or folder, the same by every path to it; undefined where no path leads to it. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

type OpenFile = { readonly name: string; readonly inode: string | undefined }

function hasOpen(pid: number, { name, inode }: OpenFile): boolean {
  return listDescriptors(pid).some(
    (file) => basename(readLink(file) ?? "") === name && inodeOf(file) === inode,
  )
}

function listDescriptors(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map((name) => `${folder}/${name}`)
  } catch {
    return [] // the process has ended, or is unreadable; such a git is found by its name
  }
}

/** Some packages start git by way of `.git-wrapped`. */
const GIT = /^\.?git/

/** So Linux names a folder that is gone: the repository of a git there is gone, too. */
const DELETED = " (deleted)"

/** A git of another repository does not count, nor one of ours that only reads objects. */
function isGitIn(pid: number, places: ReadonlySet<string>): boolean {
  if (!GIT.test(readProcFile(pid, "comm") ?? "")) return false
  const args = (readProcFile(pid, "cmdline") ?? "").split("\0")
  if (args.includes("cat-file")) return false
  const cwd = `/proc/${pid}/cwd`
  const isRunning = () => readProcess(pid) !== undefined
  const stands = readLink(cwd)
  if (stands === undefined) return !isEnding(cwd) && isRunning()
  if (isInside(cwd, places)) return true
  const environment = (readProcFile(pid, "environ") ?? "").split("\0")
  return namedGitDirs([...args, ...environment]).some((named) => {
    if (isAbsolute(named)) return isInside(`/proc/${pid}/root${named}`, places)
    const path = `${cwd}/${named}`
    // A name that leads nowhere was for the folder that git came from, which may be this repository's.
    const isLost = inodeOf(path) === undefined && !stands.endsWith(DELETED)
    return isLost ? isRunning() : isInside(path, places)
  })
}

/**
 * A process that exits closes its files and then loses its folder. Until the system has reaped it,
 * which takes long on a loaded machine, it still counts as running.
 */
function isEnding(cwd: string): boolean {
  try {
    readlinkSync(cwd)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
  }
}

function namedGitDirs(args: readonly string[]): string[] {
  return args.flatMap((word, n) => {
    if (word === "--git-dir") return args[n + 1] ?? []
    return /^(?:--git-dir|GIT_DIR)=(.+)$/s.exec(word)?.[1] ?? []
  })
}

/** Deeper folders than any repository lies in. */
const DEPTH_MAX = 200

/** Whether a folder is one of the places, or below it. The way up is that of its own mounts. */
function isInside(folder: string, places: ReadonlySet<string>): boolean {
  let [at, below] = [folder, ""]
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const inode = inodeOf(at)
    if (inode === undefined || inode === below) return false
    if (places.has(inode)) return true
    at = `${at}/..`
    below = inode
  }
  return false
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
