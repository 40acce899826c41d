/** `git update-index --add`: takes given files into an index as they are, ignored or not. */
import type { GitPath } from "../core/ids.ts"
import { gitNeedingIndex, indexEnv } from "./index-lock.ts"
import { trueModes } from "./true-modes.ts"

export type PathsOptions = {
  /** An index other than the worktree's own, absolute. */
  readonly indexFile?: string | undefined
  /** What {@link trueModes} has just said of the worktree. */
  readonly modes?: Readonly<Record<string, string>> | undefined
}

/**
 * Stages files, and the removal of files that are gone. Runs in the worktree's root.
 *
 * @throws {IndexLockedError} @throws {GitError} e.g. when a file cannot be read.
 */
export async function addPaths(
  cwd: string,
  paths: readonly GitPath[],
  { indexFile, modes }: PathsOptions = {},
): Promise<void> {
  const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  const settings = modes ?? (await trueModes(cwd)) ?? {}
  await gitNeedingIndex(cwd, args, { stdin, settings, env: indexEnv(indexFile) })
}
