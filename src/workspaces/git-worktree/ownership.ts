/**
 * Says whose worktree a worktree is: a small file in its administrative folder.
 *
 * It is written under the repository's lock, before anything is checked out. So a worktree at a
 * path of ours without a finished set-up in the store is either marked, and ours to mend, or has
 * nothing in it yet, or belongs to somebody else: another home, or a person.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Owner } from "../task-refs.ts"

export type WorktreeOwner = Owner & {
  /** The branch that the worktree was added on, which is the task's. */
  readonly branch?: string
}

const FILE = "coppice.json"

export async function recordOwner(gitDir: string, owner: WorktreeOwner): Promise<void> {
  await writeFile(join(gitDir, FILE), JSON.stringify(owner))
}

/** Whose worktree it is; undefined when nobody said so. */
export async function readOwner(gitDir: string): Promise<WorktreeOwner | undefined> {
  const text = await readFile(join(gitDir, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "null"
    throw error
  })
  try {
    return (JSON.parse(text) as WorktreeOwner | null) ?? undefined
  } catch {
    return undefined // a write that was cut short: the set-up got no further
  }
}
