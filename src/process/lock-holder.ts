/**
 * Tells whether a lock file that git made still has a holder. Git writes no owner into it.
 *
 * Whoever made a lock ran before we saw it. So if the holder still runs, it is among the processes that
 * run now: it has the file open, or it is a git that works in the repository. We look at the file
 * before and after, so the answer is about one and the same lock.
 */
import { readdirSync, readlinkSync, type Stats, statSync } from "node:fs"
import { isAbsolute, relative } from "node:path"
import { seesAllProcesses } from "./identity.ts"
import { listRunning, readProcess, readProcFile } from "./process-table.ts"

export type LockFate =
  | "held"
  | "dead"
  /** Its holder may run where we cannot see it: as another user, or in another container. */
  | "unknown"
  | "gone"

export type LockPlace = {
  /** Where a holder works: the repository's common git directory and its worktrees. */
  readonly folders: readonly string[]
  /** For so long its holder may be a program that has closed the file and is about to rename it. */
  readonly patienceMs: number
}

/** @param lock absolute. */
export function judgeLock(lock: string, { folders, patienceMs }: LockPlace): LockFate {
  const before = look(lock)
  if (!before) return "gone"
  if (Date.now() - before.mtimeMs < patienceMs) return "held" // also where another clock is ahead
  if (!canSeeHolder(before)) return "unknown"
  const isHeld = listRunning().some(({ pid }) => hasOpen(pid, lock) || isGitIn(pid, folders))
  const after = look(lock)
  if (!after) return "gone"
  return isHeld || after.ino !== before.ino || after.mtimeMs !== before.mtimeMs ? "held" : "dead"
}

const look = (lock: string) => statSync(lock, { throwIfNoEntry: false })

function canSeeHolder({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return seesAllProcesses() && (own === 0 || own === uid)
}

function hasOpen(pid: number, path: string): boolean {
  return listDescriptors(pid).some((file) => file === path)
}

function listDescriptors(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => readLink(`${folder}/${name}`) ?? [])
  } catch {
    return [] // it has ended, or hides; a git that hides is found by its name
  }
}

/** A git of another repository does not count, nor one of ours that only reads objects. */
function isGitIn(pid: number, folders: readonly string[]): boolean {
  if (!/^git/.test(readProcFile(pid, "comm") ?? "")) return false
  const line = readProcFile(pid, "cmdline") ?? ""
  if (line.includes("\0cat-file\0")) return false
  const cwd = readLink(`/proc/${pid}/cwd`)
  if (cwd === undefined) return readProcess(pid) !== undefined // it hides, or it has just ended
  const said = line + (readProcFile(pid, "environ") ?? "")
  return folders.some((folder) => isInside(cwd, folder) || said.includes(folder))
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split("/")[0] !== ".."
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
