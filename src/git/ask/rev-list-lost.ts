/** `git rev-list`: commits that nothing permanent leads to. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** The refs under which Coppice has saved commits of tasks. */
export const SAVED = ["--glob=refs/coppice/rescue/", "--glob=refs/coppice/landed/"]
const OTHERS = ["--not", "--branches", "--remotes", "--tags", ...SAVED]

/**
 * Commits of `tips` and their histories that `safe`, branches, tags, rescues and landed refs do not
 * contain, with their parents. Skips tips that no longer exist.
 */
export async function listLost(
  cwd: string,
  tips: readonly Oid[],
  safe: readonly Oid[],
): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const stdin = [...tips, ...safe.map((oid) => `^${oid}`), ""].join("\n")
  const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", ...OTHERS]
  const lines = (await git(cwd, args, { stdin })).stdout.split("\n").filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [oid, ...parents] = line.split(" ") as [Oid, ...Oid[]]
      return [oid, parents]
    }),
  )
}
