/**
 * Finds folders among the worktrees of a repository that git does not know, and that look as if a
 * set-up of ours had made them. They may hold anything, so none with something in it is removed.
 */
import { existsSync } from "node:fs"
import { readdir, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { commonDirOf } from "../../git/worktrees/git-dir.ts"
import { listTrash } from "../../git/worktrees/trash.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { findPlain } from "../../process/plain-file.ts"

export type Stray = {
  readonly path: string
  /** It holds nothing, and has the name of a task's worktree. */
  readonly isEmpty: boolean
}

/** More than this is not ours, but the folder's that somebody chose for worktrees. */
const STRAYS_MAX = 100

/** @param names those that worktrees of this home's tasks have. */
export async function listStrays(
  repo: string,
  folders: readonly string[],
  names: ReadonlySet<string>,
): Promise<Stray[]> {
  const known = new Set((await listWorktrees(repo)).map(({ path }) => path))
  const admin = join(commonDirOf(await gitDir(repo)), "worktrees")
  const found: Stray[] = []
  for (const folder of folders) {
    const trash = new Set(await listTrash(folder))
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []) // none: no folder
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory() || known.has(path) || trash.has(path)) continue
      const isEmpty = names.has(entry.name) && (await readdir(path).catch(() => ["?"])).length === 0
      if (isEmpty || pointsInto(path, admin)) found.push({ path, isEmpty })
    }
  }
  return found.slice(0, STRAYS_MAX)
}

/** Removes a folder, unless something has come into it. @returns whether it is gone. */
export async function removeStray({ path }: Stray): Promise<boolean> {
  try {
    await rmdir(path)
    return true
  } catch {
    return !existsSync(path) // no more empty, or somebody else was faster
  }
}

/** Whether it was a worktree of this repository, whose own folder in there is gone. */
function pointsInto(path: string, admin: string): boolean {
  const link = findPlain(join(path, ".git"))?.toString() ?? ""
  return link.startsWith(`gitdir: ${admin}/`)
}
