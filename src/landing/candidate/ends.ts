/**
 * Chooses the commits between which work is replayed, and the sides of a merge of the whole work.
 * Pure.
 */
import type { Oid } from "../../core/ids.ts"
import type { MergeSides } from "../../git/change/merge-tree.ts"

export type Ends = {
  readonly base: Oid
  /** Those of `head` and `onto`, from git. */
  readonly mergeBases: readonly Oid[]
  readonly head: Oid
  readonly onto: Oid
  readonly ontoTree: Oid
}

/**
 * Target and task have merged each other. A merge from one of their merge bases would restore
 * changes of the other side that the task reverted.
 */
export const isCrissCross = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length > 1 && base === mergeBases[0]

/** Then git's own merge base is the right one. */
export const isOfMergeBase = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length === 1 && base === mergeBases[0]

export function wholeSides(ends: Ends): MergeSides {
  const { base, head, onto, ontoTree } = ends
  if (isCrissCross(ends)) return { ours: onto, theirs: head }
  const ofTarget = isOfMergeBase(ends) ? { oursTip: onto } : {}
  return { base, oursTree: ontoTree, theirs: head, ...ofTarget }
}
