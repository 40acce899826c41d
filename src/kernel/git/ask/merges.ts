/** `git rev-list --merges`: the merge commits between two points of history. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"

/** An agent merges the target now and then; git takes some 10 ms to repeat each merge. */
const MERGES_MAX = 100

/**
 * The merge commits of `to` on its own line of history, newest first, with their parents. Another branch
 * brings its own merges with it, and those at a remote were made elsewhere.
 *
 * @param except none of these contains them. @param branch of `to`: at a remote it does not count.
 */
export async function listMerges(
  cwd: string,
  to: Oid,
  { except, branch }: { readonly except: readonly Oid[]; readonly branch: string },
): Promise<{ readonly oid: Oid; readonly parents: readonly Oid[] }[]> {
  const range = [to, "--not", ...except, `--exclude=*/${branch}`, "--remotes"]
  const which = ["--first-parent", "--merges", "--parents", `--max-count=${MERGES_MAX}`]
  const args = ["rev-list", ...which, ...range]
  const lines = (await git(cwd, args)).stdout.split("\n").filter(Boolean)
  return lines.map((line) => {
    const [oid, ...parents] = line.split(" ") as [Oid, ...Oid[]]
    return { oid, parents }
  })
}
