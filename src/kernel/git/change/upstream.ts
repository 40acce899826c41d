/** `git config`: gives a branch an upstream, as `git push -u` does. */
import type { RefName } from "../../../base/ids.ts"
import { escapeRegexp, listConfig } from "../ask/config.ts"
import { git } from "../start/exec.ts"

/**
 * A branch that has an upstream keeps it. Writes configuration: callers hold the repository's lock. While
 * another git holds the configuration's lock, the branch stays without one.
 */
export async function setUpstream(
  cwd: string,
  {
    branch,
    remote,
    ref,
  }: { readonly branch: string; readonly remote: string; readonly ref: RefName },
): Promise<void> {
  const merges = await listConfig(cwd, `^branch\\.${escapeRegexp(branch)}\\.merge$`)
  if (merges.length > 0) return
  const config = (key: string, value: string) =>
    git(cwd, ["config", `branch.${branch}.${key}`, value], { answers: [0, 255] })
  await config("remote", remote)
  await config("merge", ref)
}
