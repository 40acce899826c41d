/** Writes a commit's tree with some of its files as they are in a worktree, whose index stays as it is. */
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { addPaths } from "./add.ts"
import { writeTree } from "./write-tree.ts"

/** @param worktree absolute path of the root. @throws {GitError} e.g. when a file cannot be read. */
export async function treeOfFiles(
  worktree: string,
  commit: Oid,
  paths: readonly GitPath[],
): Promise<Oid> {
  using scratch = makeScratch()
  const indexFile = join(scratch.path, "index")
  await git(worktree, ["read-tree", commit], { env: indexEnv(indexFile) })
  await addPaths(worktree, paths, { indexFile })
  return await writeTree(worktree, { indexFile })
}
