/** `git rev-list --disk-usage`: the disk space of commits with all their objects. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** @param known commits whose objects do not count, like those of branches and tags. */
export async function readDiskUsage(
  cwd: string,
  commits: readonly Oid[],
  known: readonly Oid[] = [],
): Promise<number> {
  const others = ["--not", "--branches", "--remotes", "--tags", ...known]
  const args = ["rev-list", "--objects", "--disk-usage", ...commits, ...others, "--"]
  return Number((await git(cwd, args)).stdout.trim())
}
