/**
 * Finds a checkout that git calls bare: `core.bare` in the shared configuration is on, although files of
 * the index are on disk. Git itself then moves its branch and leaves the files behind.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { howToUnset } from "../start/environment-at.ts"
import { git, readConfigAt } from "../start/exec.ts"
import { findGitDir } from "../start/git-dir.ts"
import { joinBytes, splitZ } from "../start/git-path.ts"

/**
 * The folder with the files, of a repository that git calls bare. Undefined if it really is bare.
 *
 * @param cwd the repository as we know it: only it names the folder if the git directory lies elsewhere.
 */
export async function findCalledBare(cwd: string, commonDir: string): Promise<string | undefined> {
  if (!existsSync(join(commonDir, "index"))) return undefined
  const root = [dirname(commonDir), cwd].find((folder) => findGitDir(folder) === commonDir)
  if (root === undefined) return undefined
  const env = { GIT_DIR: commonDir, GIT_WORK_TREE: root }
  const { stdout } = await git(root, ["ls-files", "-z"], { env })
  const isHere = splitZ(stdout).some((path) => existsSync(joinBytes(root, path as GitPath)))
  return isHere ? root : undefined
}

/** For a person: the setting, its file and the cure. */
export async function describeCalledBare(cwd: string, checkout: string): Promise<string> {
  const setting = (await readConfigAt(cwd)).findLast(({ key }) => key === "core.bare")
  const file = setting?.file ?? join(findGitDir(checkout) ?? checkout, "config")
  return `${file} sets core.bare, so git would leave the files of ${checkout} behind; to remove it: ${howToUnset("core.bare", file)}`
}
