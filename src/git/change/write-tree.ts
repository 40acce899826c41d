/** `git write-tree`: the index as a tree. */
import type { Oid } from "../../core/ids.ts"
import { indexEnv } from "../start/environment.ts"
import { gitNeedingIndex } from "./index-lock.ts"

/**
 * @param indexFile an index other than the worktree's own, absolute.
 * @throws {IndexLockedError} @throws {GitError} while the index holds conflicts.
 */
export async function writeTree(
  cwd: string,
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<Oid> {
  const { stdout } = await gitNeedingIndex(cwd, ["write-tree"], { env: indexEnv(indexFile) })
  return stdout.trim() as Oid
}
