/** `git rev-list`: commits to which nothing leads that stays. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

const OTHERS = ["--not", "--branches", "--remotes", "--tags", "--glob=refs/coppice/rescue/"]

/**
 * Of `tips` and what leads to them, the commits that neither `safe`, nor a branch, a tag or a rescue
 * has, with their parents. Tips that are no commits any more are passed over.
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
