/** Reads the configured remotes and upstreams. Does not use the network. */
import { branchRef, type RefName } from "../../../base/ids.ts"
import { git, stdoutText } from "../start/exec.ts"
import { escapeRegexp, type Setting } from "./config.ts"
import { readAlias } from "./head.ts"

export type Tracking = {
  /** The names of the remotes. */
  readonly remotes: readonly string[]
  /** The ref that the branch tracks, as configured; it need not exist. */
  readonly upstream: RefName | undefined
}

/** Matches the keys for a branch, for `listConfig`. */
export const trackingKeys = (branch: string) =>
  `remote\\..+\\..+|branch\\.${escapeRegexp(branch)}\\.merge`

/**
 * The repository's remotes, and the upstream of a local branch. Starts git only if there is an
 * upstream.
 *
 * @param config settings that match {@link trackingKeys} of the branch, and perhaps more.
 */
export async function readTracking(
  cwd: string,
  branch: string,
  config: readonly Setting[],
): Promise<Tracking> {
  const keys = config.map(({ key }) => Buffer.from(key, "latin1").toString("utf8"))
  const remotes = keys.filter((key) => key.startsWith("remote."))
  const names = remotes.map((key) => key.slice("remote.".length, key.lastIndexOf(".")))
  const isTracking = keys.some((key) => key.startsWith("branch."))
  const upstream = isTracking ? await upstreamOf(cwd, branch) : undefined
  return { remotes: [...new Set(names)], upstream }
}

/** The target of origin/HEAD, e.g. `refs/remotes/origin/main`. */
export function originHead(cwd: string): Promise<RefName | undefined> {
  return readAlias(cwd, "refs/remotes/origin/HEAD" as RefName)
}

/** The ref that a local branch tracks, as configured; it need not exist. */
export async function upstreamOf(cwd: string, branch: string): Promise<RefName | undefined> {
  const args = ["for-each-ref", "--format=%(upstream)", branchRef(branch)]
  return (stdoutText(await git(cwd, args)).trim() || undefined) as RefName | undefined
}
