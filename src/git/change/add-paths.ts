/** `git update-index --add`: takes given files into an index as they are, ignored or not. */
import type { GitPath } from "../../core/ids.ts"
import { listBeyondLinks } from "../ask/beyond-links.ts"
import { trueModes } from "../ask/true-modes.ts"
import { indexEnv } from "../start/environment.ts"
import { gitNeedingIndex } from "./index-lock.ts"

export type PathsOptions = {
  /** An index other than the worktree's own, absolute. */
  readonly indexFile?: string | undefined
  /** The result of {@link trueModes} if the caller has it. */
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
  const settings = modes ?? (await trueModes(cwd)) ?? {}
  const options = { settings, env: indexEnv(indexFile) }
  // For a path below a symbolic link, git reports neither presence nor absence.
  const gone = new Set(listBeyondLinks(cwd, paths))
  const update = (how: readonly string[], some: readonly GitPath[]) =>
    gitNeedingIndex(cwd, ["update-index", ...how, "-z", "--stdin"], {
      ...options,
      stdin: asInput(some),
    })
  if (gone.size > 0) await update(["--force-remove"], [...gone])
  const there = gone.size > 0 ? paths.filter((path) => !gone.has(path)) : paths
  await update(["--add", "--remove", "--replace"], there)
}

const asInput = (paths: readonly GitPath[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
