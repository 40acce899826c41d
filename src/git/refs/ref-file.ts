/** A branch as a file, where it is one. */
import { join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"
import { findPlain } from "../../process/plain-file.ts"
import { readCommit } from "../repository/rev-parse.ts"
import { commonDirOf, findGitDir } from "../worktrees/git-dir.ts"
import { areRefsFiles } from "./head-file.ts"

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/

/**
 * As `readCommit`, of a branch, for who has to know only this: a git is started where its file does not
 * say it (it is packed, or symbolic), and for any other ref.
 *
 * @param cwd the root of a worktree.
 */
export async function readBranch(cwd: string, ref: RefName): Promise<Oid | undefined> {
  const own = ref.startsWith("refs/heads/") ? findGitDir(cwd) : undefined
  const common = own && commonDirOf(own)
  const file = common && areRefsFiles(common) ? findPlain(join(common, ref)) : undefined
  const commit = COMMIT.exec(file?.toString("latin1") ?? "")?.[1]
  return commit === undefined ? await readCommit(cwd, ref) : (commit as Oid)
}
