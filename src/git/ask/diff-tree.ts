/** `git diff-tree`: which paths differ between two commits. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

export type Change = {
  readonly path: GitPath
  /** Added, deleted, modified, or changed in type (file, symbolic link, submodule). */
  readonly status: "A" | "D" | "M" | "T"
  /** Six octal digits; all zeros where there is none, like the object id. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldOid: Oid
  readonly newOid: Oid
}

const ARGS = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"]

/**
 * Every path that differs. A rename is a deletion and an addition.
 *
 * @param pathspecs only paths that match one of these; none: all.
 */
export async function listChanges(
  cwd: string,
  from: Oid,
  to: Oid,
  pathspecs: readonly string[] = [],
): Promise<Change[]> {
  const args = ["diff-tree", ...ARGS, "--no-relative", from, to, "--", ...pathspecs]
  const { stdout } = await git(cwd, args)
  const parts = splitZ(stdout)
  return parts.flatMap((facts, n) => {
    if (n % 2 === 1) return [] // the path of the one before
    const [oldMode, newMode, oldOid, newOid, status] = facts.slice(1).split(" ")
    const path = parts[n + 1]
    return [{ path, status, oldMode, newMode, oldOid, newOid } as Change]
  })
}
