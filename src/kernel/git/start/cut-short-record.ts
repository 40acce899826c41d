/**
 * Completes git's record of a worktree whose `git worktree add` was killed.
 *
 * If it dies between making the file `commondir` and writing it, the file is empty. Then every
 * git that looks at all worktrees of the repository fails, ours and the user's: `fatal: failed to read
 * …/commondir`.
 */
import { lstatSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { writeWhole } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir, ifExists } from "./git-dir.ts"

const UNREADABLE = /^fatal: failed to read .*\/commondir/m
/** The content that git writes. */
const CONTENT = "../..\n"

export const isAboutRecord = (stderr: string): boolean => UNREADABLE.test(stderr)

/** @param cwd root of a worktree of the repository. @returns whether there was one to complete. */
export function completeRecords(cwd: string): boolean {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return false
  const folder = dirname(gitDir)
  // The worktree with the empty file cannot name its common directory.
  const worktrees =
    basename(folder) === "worktrees" ? folder : join(commonDirOf(gitDir), "worktrees")
  const ids = ifExists(() => readdirSync(worktrees)) ?? []
  const open = ids.map((id) => join(worktrees, id)).filter(isCutShort)
  for (const record of open) writeWhole(join(record, "commondir"), CONTENT)
  return open.length > 0
}

/** Git locks a worktree for as long as it adds it. */
function isCutShort(record: string): boolean {
  const find = (name: string) => lstatSync(join(record, name), { throwIfNoEntry: false })
  const commonDir = find("commondir")
  return commonDir?.isFile() === true && commonDir.size === 0 && find("locked") !== undefined
}
