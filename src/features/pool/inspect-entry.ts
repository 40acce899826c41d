/** The state on disk of one entry of a pool of worktrees. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Head, readHead } from "../../kernel/git/ask/head.ts"
import { readOperation } from "../../kernel/git/ask/operation-in-progress.ts"
import type { Repository } from "../../kernel/git/ask/repository.ts"
import { isRootOf } from "../../kernel/git/ask/worktree-of.ts"
import { commonDirOf, findGitDir } from "../../kernel/git/start/git-dir.ts"
import { hasPipe } from "../../kernel/process/disk.ts"
import { findPlain } from "../../kernel/process/plain-file.ts"
import type { PoolEntry } from "./rows/list.ts"

export type FoundEntry = {
  /** The worktree's own git directory. */
  readonly dir: string
  /** Undefined if its index was never written. */
  readonly head: Head | undefined
  /** `locked`: a git works there, or was killed. `theirs`: a person has begun to work there, or put a pipe in place of git's files. */
  readonly state: "idle" | "locked" | "theirs"
}

/** Undefined if the path is no longer that worktree of the repository. */
export async function inspectEntry(
  { commonDir }: Pick<Repository, "commonDir">,
  { path }: Pick<PoolEntry, "path">,
): Promise<FoundEntry | undefined> {
  const dir = findGitDir(path)
  if (dir === undefined || commonDirOf(dir) !== commonDir || !isRootOf(path, dir)) return undefined
  if (hasPipe(dir)) return { dir, head: undefined, state: "theirs" }
  const has = (name: string) => existsSync(join(dir, name))
  const head = has("index") ? await readHead(path) : undefined
  if (isLockedByPerson(dir) || readOperation(dir)) return { dir, head, state: "theirs" }
  return { dir, head, state: has("index.lock") || has("HEAD.lock") ? "locked" : "idle" }
}

/** Git locks a worktree while it adds it, and leaves that lock if killed. */
function isLockedByPerson(dir: string): boolean {
  const file = join(dir, "locked")
  return existsSync(file) && findPlain(file)?.toString().trim() !== "initializing"
}
