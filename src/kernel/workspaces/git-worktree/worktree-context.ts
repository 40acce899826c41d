/** Everything that set-up and teardown work with: the home and its bounds. */
import { assert } from "../../../base/assert.ts"
import { findRepository, type Repository } from "../../git/ask/repository.ts"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import type { RemovalContext } from "../removal.ts"

export type WorktreeContext = RemovalContext & {
  /** Names the home whose worktrees these are. */
  readonly home: string
  /** How long to wait for a lock on a branch to delete. */
  readonly lockedMsMax: number
}

/** The repository at a path that the store knows as one. */
export async function readRepository(path: string): Promise<Repository> {
  const dir = findGitDir(path)
  if (dir) return { root: path, commonDir: commonDirOf(dir), bare: false }
  const repository = await findRepository(path)
  assert(repository, `${path} is a repository`)
  return repository
}
