/** What set-up and tear-down share. */
import { assert } from "../../core/assert.ts"
import { findRepository, type Repository } from "../../git/repository.ts"

export type WorktreeContext = {
  /** Names the home whose worktrees these are. */
  readonly home: string
  /** Lets work that nobody needs to wait for go on; it must not reject. */
  inBackground(work: Promise<unknown>): void
}

/** The repository at a path that the store knows as one. */
export async function readRepository(path: string): Promise<Repository> {
  const repository = await findRepository(path)
  assert(repository, `${path} is a repository`)
  return repository
}
