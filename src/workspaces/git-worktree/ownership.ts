/**
 * Says whose worktree a worktree is: a small file in its administrative folder.
 *
 * It is written under the repository's lock, before anything is checked out. So a worktree at a
 * path of ours without a finished set-up in the store is either marked, and ours to mend, or has
 * nothing in it yet, or belongs to somebody else: another home, or a person.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { TaskId } from "../../core/ids.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"

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

/** In the place of what was said before, whole or not at all. @param gitDir the worktree's own. */
export function recordOwner(gitDir: string, owner: WorktreeOwner): void {
  writeWhole(join(gitDir, OWNER_FILE), JSON.stringify(owner))
}

/** From now on it is a person's. Safe to repeat. */
export async function forgetOwner(gitDir: string): Promise<void> {
  await rm(join(gitDir, OWNER_FILE), { force: true })
}

/** Whose worktree it is; undefined when nobody said so. */
export function readOwner(gitDir: string): WorktreeOwner | undefined {
  const text = findPlain(join(gitDir, OWNER_FILE))?.toString() ?? "null"
  try {
    return (JSON.parse(text) ?? undefined) as WorktreeOwner | undefined
  } catch {
    return undefined // nothing of ours
  }
}
