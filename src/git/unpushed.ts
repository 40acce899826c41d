/** `git rev-list`: whether a repository holds commits that no remote is known to have. */
import { git } from "./exec.ts"

/** Looks at HEAD and every ref but tags. In doubt, e.g. after a shallow fetch, true. */
export async function hasUnpushed(cwd: string): Promise<boolean> {
  const mine = ["--exclude=refs/tags/*", "--exclude=refs/remotes/*", "--all"]
  const args = ["rev-list", "--max-count=1", ...mine, "--not", "--remotes", "--tags"]
  return (await git(cwd, args)).stdout !== ""
}
