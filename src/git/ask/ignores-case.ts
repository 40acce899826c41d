/** Whether a repository's file system ignores case in names. */
import { join } from "node:path"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"

/** Reads what git recorded when it made the repository. Called often, so it starts no git. */
export function ignoresCase(repo: string): boolean {
  const dir = findGitDir(repo)
  const config = join(dir === undefined ? repo : commonDirOf(dir), "config")
  try {
    return /^\s*ignorecase\s*=\s*true\s*$/im.test(readPlainText(config) ?? "")
  } catch (error) {
    if (error instanceof UnreadableFileError) return false // git says what is wrong with it
    throw error
  }
}
