/** `git --version`: which ways of doing things this git offers. */
import { GitMissingError } from "./errors.ts"
import { git } from "./exec.ts"

export type GitVersion = { readonly major: number; readonly minor: number }

let known: Promise<GitVersion> | undefined

/**
 * The version of git, asked once per process.
 *
 * @throws {GitMissingError} where there is none.
 */
export function readGitVersion(): Promise<GitVersion> {
  known ??= ask().catch((error) => {
    known = undefined // git may be installed while we run
    throw error
  })
  return known
}

/** Whether `version` is at least `major.minor`. */
export function isAtLeast(version: GitVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor)
}

async function ask(): Promise<GitVersion> {
  const { stdout } = await git("/", ["--version"])
  const found = /(\d+)\.(\d+)/.exec(stdout)
  if (!found) throw new GitMissingError(`"git --version" answers ${JSON.stringify(stdout)}`)
  return { major: Number(found[1]), minor: Number(found[2]) }
}
