/** What set-up and tear-down share. */
import { assert } from "../../core/assert.ts"
import { findRepository, type Repository } from "../../git/repository/repository.ts"
import { commonDirOf, findGitDir } from "../../git/worktrees/git-dir.ts"
import type { Pool } from "../pool/pool.ts"

export type WorktreeContext = {
  /** Names the home whose worktrees these are. */
  readonly home: string
  /** For how long a lock on a branch that goes is waited for. */
  readonly lockedMsMax: number
  /** Aborts when there is no time left for deleting. */
  readonly deleting: AbortSignal
  /** Lets work that nobody needs to wait for go on; it must not reject. */
  inBackground(work: Promise<unknown>): void
  /** Undefined: no worktree is made ahead. */
  readonly pool?: Pool | undefined
}

/** The repository at a path that the store knows as one. */
export async function readRepository(path: string): Promise<Repository> {
  const dir = findGitDir(path)
  if (dir) return { root: path, commonDir: commonDirOf(dir), bare: false }
  const repository = await findRepository(path)
  assert(repository, `${path} is a repository`)
  return repository
}
