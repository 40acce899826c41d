/** Brings a worktree of a pool, in which nobody works, to a later commit: its index is kept. */
import type { Oid } from "../../core/ids.ts"
import { readTree } from "../../git/index/read-tree.ts"
import { writeHead } from "../../git/refs/write-head.ts"
import { listChanges } from "../../git/trees/diff-tree.ts"

export type BringUp = {
  readonly worktree: string
  /** Its own git directory. */
  readonly dir: string
  readonly from: Oid
  readonly to: Oid
}

/** These say how other files are written, and what is ignored: what is there would not follow. */
const RULES = [":(glob)**/.gitattributes", ":(glob)**/.gitignore", ":(glob)**/.gitmodules"]

/**
 * Index and files first, HEAD last. What a death in between leaves is seen by its HEAD.
 *
 * @returns false when it has to be made anew instead.
 */
export async function bringUp({ worktree, dir, from, to }: BringUp): Promise<boolean> {
  if (from === to) return true
  if ((await listChanges(worktree, from, to, RULES)).length > 0) return false
  const read = await readTree(worktree, { from, to }, { isWhole: true })
  if (read.kind !== "done") return false
  return writeHead(dir, to) === "written"
}
