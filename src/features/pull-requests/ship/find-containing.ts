/**
 * Proves that a target has the change of a merged pull request. The forge's word is not enough: only
 * then may the worktree go.
 */
import type { Oid } from "../../../base/ids.ts"
import { hasEachChange } from "../../../kernel/git/ask/cherry.ts"
import { isAncestor } from "../../../kernel/git/ask/merge-base.ts"
import { readCommit, readTrees } from "../../../kernel/git/ask/rev-parse.ts"
import { readCommitSettings } from "../../../kernel/git/ask/settings.ts"
import { isolateMerges, readAttributes } from "../../../kernel/git/change/merge-isolation.ts"
import { mergeTree } from "../../../kernel/git/change/merge-tree.ts"

type Merged = {
  /** The work. */
  readonly head: Oid
  /** The commit by which the forge says that it merged it. */
  readonly merge: Oid | null
  /** The target now. */
  readonly tip: Oid
}

/**
 * One of: the target contains the commit; it has each change of it under other ids; or merging it
 * into the forge's merge commit, which the target contains, changes nothing (it was squashed).
 *
 * @returns the target's commit that has the change; undefined if that cannot be proved.
 */
export async function findContaining(
  repo: string,
  { head, merge, tip }: Merged,
): Promise<Oid | undefined> {
  const isThere =
    merge !== null && (await readCommit(repo, merge)) && (await isAncestor(repo, merge, tip))
  const at = isThere ? merge : tip
  if (await isAncestor(repo, head, tip)) return at
  if (await hasEachChange(repo, { target: at, commit: head })) return at
  return (await changesNothing(repo, { into: at, head })) ? at : undefined
}

async function changesNothing(
  repo: string,
  { into, head }: { readonly into: Oid; readonly head: Oid },
): Promise<boolean> {
  const { drivers } = await readCommitSettings(repo)
  await using isolation = await isolateMerges(repo, await readAttributes(repo, into), drivers)
  const merged = await mergeTree(repo, { ours: into, theirs: head }, isolation)
  const [tree] = await readTrees(repo, [into])
  return merged.kind === "clean" && merged.tree === tree
}
