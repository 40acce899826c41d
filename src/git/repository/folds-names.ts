/** Whether a repository lies where names that differ in case alone are one. */
import { join } from "node:path"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir } from "../worktrees/git-dir.ts"

/** As git wrote it down when it made the repository; asked often, so without starting git. */
export function foldsNames(repo: string): boolean {
  const dir = findGitDir(repo)
  const config = join(dir === undefined ? repo : commonDirOf(dir), "config")
  try {
    return /^\s*ignorecase\s*=\s*true\s*$/im.test(readPlainText(config) ?? "")
  } catch (error) {
    if (error instanceof UnreadableFileError) return false // git says what is wrong with it
    throw error
  }
}
