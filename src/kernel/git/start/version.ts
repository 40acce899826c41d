/** `git --version`: what this version of git can do. */
import { findVersion, GIT_MIN, isAtLeast, type Version } from "../../../base/requirements.ts"
import { GitUnusableError } from "./errors.ts"
import { git } from "./exec.ts"

let known: Promise<Version> | undefined

/**
 * The version of git, asked once per process.
 *
 * @throws {GitUnusableError} `git.missing` or `git.too_old` (user).
 */
export function readGitVersion(): Promise<Version> {
  known ??= ask().catch((error) => {
    known = undefined // git may be installed while we run
    throw error
  })
  return known
}

async function ask(): Promise<Version> {
  const said = (await git("/", ["--version"])).stdout.trim()
  const version = findVersion(said)
  if (!version) throw new GitUnusableError("git.missing", `"git --version" answers "${said}".`)
  if (!isAtLeast(version, GIT_MIN)) throw new GitUnusableError("git.too_old", `${said} is too old.`)
  return version
}
