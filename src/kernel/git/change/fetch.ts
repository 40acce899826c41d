/** `git fetch`: the remote's branches, as they are now. */

import type { RefName } from "../../../base/ids.ts"
import { escapeRegexp, listConfig } from "../ask/config.ts"
import { leadTo, type Remote, remoteProgram } from "../ask/remote-branch.ts"
import { GitError } from "../start/errors.ts"
import { git, type Network } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

export type Fetched =
  | { readonly kind: "fetched" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timed_out" }

const ARGS = ["--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap="]

/**
 * Updates `refs/remotes/<remote>/` and never a local branch. The settings of a mirror would
 * overwrite local branches, so we fetch only its remote-tracking refs.
 *
 * @throws the reason of the given signal when it aborts.
 */
export async function fetchRemote(cwd: string, remote: string, network: Network): Promise<Fetched> {
  const program = await remoteProgram(cwd, remote, "uploadpack")
  const specs = await trackingRefspecs(cwd, remote)
  return await fetchSpecs(cwd, [...program, "--", remote, ...specs], { network })
}

/** The objects of one ref, whatever the settings leave out. Moves no ref here. */
export async function fetchRef(
  cwd: string,
  { remote, ref }: { readonly remote: Remote; readonly ref: RefName },
  network: Network,
): Promise<Fetched> {
  const { options, name, settings } = await leadTo(cwd, remote, "fetch")
  return await fetchSpecs(cwd, [...options, "--", name, ref], { network, settings })
}

async function fetchSpecs(
  cwd: string,
  args: readonly string[],
  options: { readonly network: Network; readonly settings?: Readonly<Record<string, string>> },
): Promise<Fetched> {
  try {
    await git(cwd, ["fetch", ...ARGS, ...args], options)
    return { kind: "fetched" }
  } catch (error) {
    if (error instanceof GitTimeoutError) return { kind: "timed_out" }
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
