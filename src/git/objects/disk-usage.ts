/** `git rev-list --disk-usage`: the room that commits take, with all that they lead to. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

/** @param known what these lead to is not counted, nor what a branch or tag leads to. */
export async function readDiskUsage(
  cwd: string,
  commits: readonly Oid[],
  known: readonly Oid[] = [],
): Promise<number> {
  const others = ["--not", "--branches", "--remotes", "--tags", ...known]
  const args = ["rev-list", "--objects", "--disk-usage", ...commits, ...others, "--"]
  return Number((await git(cwd, args)).stdout.trim())
}
