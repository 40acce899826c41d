/** `git fetch`: the remote's branches, as they are now. */

import { GitError } from "../errors.ts"
import { git } from "../exec.ts"
import { escapeRegexp, listConfig } from "../repository/config.ts"

export type FetchOptions = { readonly timeoutMs: number; readonly signal?: AbortSignal }
export type Fetched =
  | { readonly kind: "fetched" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timed_out" }

const ARGS = ["--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap="]
/** Nobody is there to answer a question for a password. */
const ENV = { SSH_ASKPASS_REQUIRE: "never", GIT_ASKPASS: "true", GCM_INTERACTIVE: "never" }

/**
 * Updates `refs/remotes/<remote>/`, and no branch of ours: of a mirror, whose settings would have
 * our branches overwritten, only the remote-tracking refs are fetched.
 *
 * @throws what `signal` aborted with.
 */
export async function fetchRemote(
  cwd: string,
  remote: string,
  { timeoutMs, signal }: FetchOptions,
): Promise<Fetched> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([timeout, ...(signal ? [signal] : [])])
  const args = ["fetch", ...ARGS, "--", remote, ...(await trackingRefspecs(cwd, remote))]
  try {
    await git(cwd, args, { env: ENV, signal: either, leavesHelpers: true })
    return { kind: "fetched" }
  } catch (error) {
    signal?.throwIfAborted()
    if (timeout.aborted) return { kind: "timed_out" }
    if (error instanceof GitError) return { kind: "failed", message: error.message }
    throw error
  }
}

async function trackingRefspecs(cwd: string, remote: string): Promise<string[]> {
  const config = await listConfig(cwd, `^remote\\.${escapeRegexp(remote)}\\.fetch$`)
  const isTracking = (spec: string) => spec.startsWith("^") || spec.includes(":refs/remotes/")
  const specs = config.map(({ value }) => value).filter(isTracking)
  const hasPositive = specs.some((spec) => !spec.startsWith("^"))
  return hasPositive ? specs : [`+refs/heads/*:refs/remotes/${remote}/*`, ...specs]
}
