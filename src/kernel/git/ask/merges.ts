/** `git rev-list --merges`: the merge commits between two points of history. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"

/** An agent merges the target now and then; git takes some 10 ms to repeat each merge. */
const MERGES_MAX = 100

/** The merge commits of `to` that none of `except` contains, newest first, with their parents. */
export async function listMerges(
  cwd: string,
  to: Oid,
  except: readonly Oid[],
): Promise<{ readonly oid: Oid; readonly parents: readonly Oid[] }[]> {
  const range = [to, ...except.map((oid) => `^${oid}`)]
  const args = ["rev-list", "--merges", "--parents", `--max-count=${MERGES_MAX}`, ...range]
  const lines = (await git(cwd, args)).stdout.split("\n").filter(Boolean)
  return lines.map((line) => {
    const [oid, ...parents] = line.split(" ") as [Oid, ...Oid[]]
    return { oid, parents }
  })
}
