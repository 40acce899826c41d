/** `git log --diff-filter=A`: the files that commits added, whether or not a later one removed them. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

export type Added = { readonly path: GitPath; readonly mode: string; readonly oid: Oid }

const ARGS = ["log", "--no-show-signature", "--format=", "--raw", "-z", "--no-abbrev"]
const WHICH = ["--no-renames", "--diff-filter=A", "--no-merges", "--no-relative"]

/**
 * Lists files added by commits of `to` that no commit in `except` contains. Merge commits add
 * nothing here.
 */
export async function listAdded(
  cwd: string,
  { to, except }: { readonly to: Oid; readonly except: readonly Oid[] },
): Promise<Added[]> {
  const range = [to, ...except.map((commit) => `^${commit}`)]
  const { stdout } = await git(cwd, [...ARGS, ...WHICH, ...range, "--"])
  const parts = splitZ(stdout)
  return parts.flatMap((facts, n) => {
    const path = parts[n + 1]
    if (n % 2 === 1 || path === undefined) return []
    const [, mode = "", , oid] = facts.split(" ")
    return [{ path: path as GitPath, mode, oid: oid as Oid }]
  })
}
