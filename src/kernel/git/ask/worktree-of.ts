/** Checks that a folder is still the worktree that it was set up as. An agent can change that. */
import { existsSync, realpathSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { AppError } from "../../../base/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { gitDir } from "./rev-parse.ts"

/**
 * Whether `root` is the root of a worktree of the repository `repo`. If it is not, git would work
 * in another repository or worktree: one made or named there, or the next one upwards.
 */
export async function isWorktreeOf(root: string, repo: string): Promise<boolean> {
  const own = findOwnGitDir(root)
  if (own === undefined) return false
  const commonDir = commonDirOf(await gitDir(repo))
  return (await realpath(commonDirOf(own))) === (await realpath(commonDir))
}

/**
 * Call it before changing a worktree that is not a user's. Without its `.git`, git would use the
 * next repository upwards, which may be the user's checkout.
 *
 * @throws {NoWorktreeError}
 */
export function assertOwnGitDir(root: string): void {
  if (findOwnGitDir(root) === undefined) throw new NoWorktreeError(root)
}

/** A folder is no longer a worktree, or claims to be another one. */
class NoWorktreeError extends AppError {
  constructor(folder: string) {
    super("git.no_worktree", "world", `${folder} is no longer a worktree`, {
      hints: ["`git worktree repair`, run in the repository, puts back a lost `.git` file."],
    })
  }
}

/** Whether the linked worktree whose git directory is `own` has its files at `root`. */
export function isRootOf(root: string, own: string): boolean {
  return existsSync(join(own, "gitdir")) && findOwnGitDir(root) === own
}

/** The git directory of a root, unless it is that of another root. */
function findOwnGitDir(root: string): string | undefined {
  const own = findGitDir(root)
  if (own === undefined) return undefined
  const back = readPlainText(join(own, "gitdir"))
  if (back !== undefined && hasWorktreeKey(own)) return undefined
  if (back !== undefined) return isIn(resolve(own, back.trimEnd()), root) ? own : undefined
  return basename(own) !== ".git" || isIn(own, root) ? own : undefined
}

/** A linked worktree's own configuration can say that its files lie elsewhere. */
function hasWorktreeKey(own: string): boolean {
  return WORKTREE_KEY.test(readPlainText(join(own, "config.worktree"), "latin1") ?? "")
}

/** A file may begin with a byte order mark, and a line with several headers of sections. To git, a CR is a space. */
const WORKTREE_KEY =
  /(?:^(?:\xEF\xBB\xBF)?|\n)[ \t\r]*(?:\[[^\n]*\][ \t\r]*)?worktree[ \t\r]*(?:=|\n|$)/i

/** Whether `entry` lies directly in the root. */
function isIn(entry: string, root: string): boolean {
  const folder = dirname(entry)
  return existsSync(folder) && realpathSync.native(folder) === realpathSync.native(root)
}
