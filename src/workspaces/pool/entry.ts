/** What an entry of a pool is on disk, looked up without starting git. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { RefName } from "../../core/ids.ts"
import { readHeadFile } from "../../git/refs/head-file.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { commonDirOf, findGitDir } from "../../git/worktrees/git-dir.ts"
import { readOperation } from "../../git/worktrees/operation.ts"
import { isRootOf } from "../../git/worktrees/worktree-of.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import { readOwner, type WorktreeOwner } from "../git-worktree/ownership.ts"

export type FoundEntry = {
  /** Its own git directory. */
  readonly dir: string
  readonly owner: WorktreeOwner | undefined
}

/** The entry's worktree, where that is one of the repository still. */
export function findEntry(
  { commonDir }: Pick<Repository, "commonDir">,
  { path }: Pick<PoolEntry, "path">,
): FoundEntry | undefined {
  const dir = findGitDir(path)
  if (dir === undefined || commonDirOf(dir) !== commonDir || !isRootOf(path, dir)) return undefined
  return { dir, owner: readOwner(dir) }
}

/** Locks, and what somebody who worked there would leave: then it is not for a task. */
const SIGNS_OF_USE = ["locked", "index.lock", "HEAD.lock"]

/** Where it stands; undefined where it cannot be handed over as it is. */
export async function readIdleHead(
  { dir }: FoundEntry,
  { base }: PoolEntry,
): Promise<{ readonly kind: "detached" } | { readonly kind: "branch"; ref: RefName } | undefined> {
  if (SIGNS_OF_USE.some((name) => existsSync(join(dir, name)))) return undefined
  if (!existsSync(join(dir, "index")) || readOperation(dir)) return undefined
  const head = readHeadFile(dir)
  if (head && "ref" in head) return { kind: "branch", ref: head.ref }
  return head && head.commit === base ? { kind: "detached" } : undefined
}
