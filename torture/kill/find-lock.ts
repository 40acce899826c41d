/** Finds a lock that a git, or Coppice, holds in a repository at this instant. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export const LOCKS = ["index.lock", "packed-refs.lock", "refs/**/*.lock", "coppice.lock"] as const
export type Lock = (typeof LOCKS)[number]

/** Held over an open file, in /proc/locks: `1: POSIX ADVISORY WRITE 4711 08:01:1234 0 EOF`. */
const WRITE_LOCK = /\bWRITE +\d+ +[0-9a-f]+:[0-9a-f]+:(\d+) /g

/** @param gitDir of the main worktree. @returns its path in there. */
export function findLock(gitDir: string, lock: Lock): string | undefined {
  if (lock === "coppice.lock") return isLocked(join(gitDir, lock)) ? lock : undefined
  if (lock === "packed-refs.lock") return exists(join(gitDir, lock)) ? lock : undefined
  if (lock === "refs/**/*.lock") return findBelow(gitDir, "refs")
  const own = listNames(join(gitDir, "worktrees")).map((name) => join("worktrees", name, lock))
  return [lock, ...own].find((path) => exists(join(gitDir, path)))
}

function findBelow(gitDir: string, folder: string): string | undefined {
  const folders: string[] = []
  for (const entry of list(join(gitDir, folder))) {
    if (entry.name.endsWith(".lock")) return join(folder, entry.name)
    if (entry.isDirectory()) folders.push(join(folder, entry.name))
  }
  for (const one of folders) {
    const found = findBelow(gitDir, one)
    if (found) return found
  }
  return undefined
}

/** The file always exists; the question is whether a process has locked it. */
function isLocked(path: string): boolean {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino
  if (inode === undefined || process.platform !== "linux") return false
  const locks = readFileSync("/proc/locks", "latin1")
  return [...locks.matchAll(WRITE_LOCK)].some(([, one]) => Number(one) === inode)
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined
const listNames = (folder: string) => list(folder).map(({ name }) => name)

function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // the folder is absent, or has just gone
  }
}
