/**
 * The folders of `contained.caches`, such as `~/.npm`. All tasks of a home share them.
 *
 *   <state directory>/caches/<hash of the path>            shared
 *   <state directory>/contained/<task>/caches/<the same>   a task's copy
 *
 * An agent must not reach another task through them. So only a program that runs landed code alone
 * writes the shared folder: a set-up, before the agent of its task first runs, at a commit that its
 * target contains. Any other program gets the copy of its task, which goes with the task.
 */
import { constants, existsSync, mkdirSync, renameSync } from "node:fs"
import { access, cp, lstat } from "node:fs/promises"
import { join } from "node:path"
import { branchRef } from "../../base/ids.ts"
import { fnv1a } from "../../base/text/hash.ts"
import { readHead } from "../../kernel/git/ask/head.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import type { Fence } from "../../kernel/process/fence.ts"
import { removeFolder } from "../../kernel/tasks/agent-folders.ts"

type Places = {
  /** The folder of the home's shared caches. */
  readonly shared: string
  /** The folder of the task's copies; undefined: the program may write the shared ones. */
  readonly own: string | undefined
  /** The HOME of the program, as it sees it. */
  readonly home: string
}

/** @param paths as in coppice.yml, from `~`. */
export async function mountCaches(
  paths: readonly string[],
  { shared, own, home }: Places,
): Promise<Fence["caches"]> {
  const mounts = paths.map(async (path) => {
    const from = join(shared, fnv1a(path))
    mkdirSync(from, { recursive: true, mode: 0o700 })
    const at = join(home, path.slice(1))
    if (own === undefined) return { from, at }
    const copy = join(own, fnv1a(path))
    await copyOnce(from, copy)
    return { from: copy, at }
  })
  return await Promise.all(mounts)
}

/** Where the disk can, files are copied only when they change. */
async function copyOnce(from: string, to: string): Promise<void> {
  if (existsSync(to)) return
  const part = `${to}.part`
  removeFolder(part)
  mkdirSync(part, { recursive: true, mode: 0o700 })
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }
  const mode = constants.COPYFILE_FICLONE
  try {
    await cp(from, part, { ...options, mode, filter: canCopy })
  } catch (error) {
    // Another set-up may move files there now. A cache with fewer files is a cache too.
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error
  }
  renameSync(part, to)
}

/** A program may leave sockets and pipes there, and files that we may not read. */
async function canCopy(path: string): Promise<boolean> {
  try {
    const found = await lstat(path)
    if (found.isSymbolicLink()) return true
    await access(path, constants.R_OK)
    return found.isFile() || found.isDirectory()
  } catch {
    return false
  }
}

/** Whether everything at the HEAD of `worktree` has landed on one of these targets. */
export async function hasLanded(worktree: string, targets: readonly string[]): Promise<boolean> {
  const { commit } = await readHead(worktree)
  if (commit === undefined) return false
  for (const target of new Set(targets)) {
    const tip = await readCommit(worktree, branchRef(target))
    if (tip && (await isAncestor(worktree, commit, tip))) return true
  }
  return false
}
