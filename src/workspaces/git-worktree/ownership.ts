/**
 * Says whose worktree a worktree is: a small file in its administrative folder.
 *
 * It is written under the repository's lock, before anything is checked out. So a worktree at a
 * path of ours without a finished set-up in the store is either marked, and ours to mend, or has
 * nothing in it yet, or belongs to somebody else: another home, or a person.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { TaskId } from "../../core/ids.ts"

export type WorktreeOwner = {
  /** Names the home: two homes may work in one repository. */
  readonly home: string
  /** Null: no task's yet, or no more; it is one of a pool. */
  readonly task: TaskId | null
  /** The branch that the worktree was added on, which is the task's. */
  readonly branch?: string
}

/** In the git directory of each worktree that is ours. */
export const OWNER_FILE = "coppice.json"

export async function recordOwner(gitDir: string, owner: WorktreeOwner): Promise<void> {
  const draft = join(gitDir, `${OWNER_FILE}.new`)
  await writeFile(draft, JSON.stringify(owner))
  await rename(draft, join(gitDir, OWNER_FILE))
}

/** From now on it is a person's. Safe to repeat. */
export async function forgetOwner(gitDir: string): Promise<void> {
  await rm(join(gitDir, OWNER_FILE), { force: true })
}

/** Whose worktree it is; undefined when nobody said so. */
export async function readOwner(gitDir: string): Promise<WorktreeOwner | undefined> {
  const text = await readFile(join(gitDir, OWNER_FILE), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "null"
      throw error
    },
  )
  try {
    return (JSON.parse(text) as WorktreeOwner | null) ?? undefined
  } catch {
    return undefined // nothing of ours
  }
}
