/** What is known here of remotes; nothing of this uses the network. */
import { branchRef, type RefName } from "../core/ids.ts"
import { escapeRegexp, listConfig } from "./config.ts"
import { git, stdoutText } from "./exec.ts"
import { readAlias } from "./head.ts"

export type Tracking = {
  /** The names of the remotes. */
  readonly remotes: readonly string[]
  /** The ref that the branch tracks, as configured; it need not exist. */
  readonly upstream: RefName | undefined
}

/** The repository's remotes, and what a local branch tracks: one question where it tracks nothing. */
export async function readTracking(cwd: string, branch: string): Promise<Tracking> {
  const merge = `branch\\.${escapeRegexp(branch)}\\.merge`
  const config = await listConfig(cwd, `^(remote\\..+\\..+|${merge})$`)
  const keys = config.map(({ key }) => Buffer.from(key, "latin1").toString("utf8"))
  const remotes = keys.filter((key) => key.startsWith("remote."))
  const names = remotes.map((key) => key.slice("remote.".length, key.lastIndexOf(".")))
  const isTracking = remotes.length < keys.length
  return {
    remotes: [...new Set(names)],
    upstream: isTracking ? await upstreamOf(cwd, branch) : undefined,
  }
}

/** The remote branch that origin/HEAD stands for, e.g. `refs/remotes/origin/main`. */
export function originHead(cwd: string): Promise<RefName | undefined> {
  return readAlias(cwd, "refs/remotes/origin/HEAD" as RefName)
}

/** The ref that a local branch tracks, as configured; it need not exist. */
export async function upstreamOf(cwd: string, branch: string): Promise<RefName | undefined> {
  const args = ["for-each-ref", "--format=%(upstream)", branchRef(branch)]
  return (stdoutText(await git(cwd, args)).trim() || undefined) as RefName | undefined
}
