/** Runs commands that write the index, and reports a held index lock. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { gitDir } from "../ask/rev-parse.ts"
import { type GitResult, IndexLockedError } from "../start/errors.ts"
import { type GitOptions, git } from "../start/exec.ts"
import { gitFailure } from "../start/failure.ts"

/** The answer of {@link gitOnIndex} when the lock is held. */
export type Locked = { readonly kind: "locked"; readonly lock: string }

/**
 * Runs a git that takes the index lock. After a failure we look for the lock file, to tell a held
 * lock from other failures. The lock may be gone by then, so a failure without one is tried once
 * more.
 *
 * @throws {import("../start/errors.ts").GitError} when it fails twice and there is no lock.
 */
export async function gitOnIndex(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult | Locked> {
  const answers = options.answers ?? [0]
  for (let isRetry = false; ; isRetry = true) {
    const result = await git(cwd, args, { ...options, answers: [...answers, 128] })
    if (answers.includes(result.exitCode)) return result
    const lock = `${options.env?.["GIT_INDEX_FILE"] ?? join(await gitDir(cwd), "index")}.lock`
    if (existsSync(lock)) return { kind: "locked", lock }
    if (isRetry) throw await gitFailure(cwd, { args, result })
  }
}

/** Like {@link gitOnIndex}, but throws if the lock is held. @throws {IndexLockedError} */
export async function gitNeedingIndex(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const result = await gitOnIndex(cwd, args, options)
  if ("kind" in result) throw new IndexLockedError(result.lock)
  return result
}
