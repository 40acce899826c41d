/**
 * Moves a waiting worktree to another commit, unless a submodule would stay behind.
 *
 * Git moves no submodule along, and set-up may not fill it again. An agent would then commit the old
 * one as its own work. A new worktree holds what the commit records.
 */
import type { Oid } from "../../base/ids.ts"
import { changesSubmodules } from "../../kernel/git/ask/gitlinks.ts"
import { settleIndex } from "../../kernel/git/change/settle-index.ts"
import { switchDetached } from "../../kernel/git/change/switch.ts"

/** @returns whether the worktree is at `to`, as a new one would be. */
export async function moveEntry(
  worktree: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<boolean> {
  if (from === to) return true
  if (await changesSubmodules(worktree, from, to)) return false
  if (!(await switchDetached(worktree, to))) return false
  await settleIndex(worktree)
  return true
}
