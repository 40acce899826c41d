/** `git fetch` from a folder of this machine: brings one commit's objects, checked, and moves no ref. */
import type { Oid } from "../../../base/ids.ts"
import { GitError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

const ARGS = [
  ...["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"],
  ...["--no-auto-maintenance", "--refmap="],
]

/** Git computes the name of every object itself, and refuses malformed ones. */
const CHECKED = { "fetch.fsckObjects": "true" }

export type Folder = {
  /** A bare repository that nothing but us can write, and that serves any commit. */
  readonly from: string
  readonly commit: Oid
  /** A commit that both have. */
  readonly known: Oid
}

/**
 * The objects are verified first, because a fetch can wait for ever for one that is missing.
 *
 * @returns why it could not: objects are missing, forged or malformed; undefined: it did.
 */
export async function fetchCommit(
  cwd: string,
  { from, commit, known }: Folder,
): Promise<string | undefined> {
  try {
    const verified = ["rev-list", "--quiet", "--verify-objects", commit, `^${known}`]
    await git(from, verified, { env: { GIT_DIR: from } })
    await git(cwd, ["fetch", ...ARGS, "--", from, commit], { settings: CHECKED })
    return undefined
  } catch (error) {
    if (error instanceof GitError || error instanceof GitTimeoutError) return error.message
    throw error
  }
}
