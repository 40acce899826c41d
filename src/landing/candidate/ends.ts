/** Between which commits work is replayed, and which sides a merge of it as a whole has. Pure. */
import type { Oid } from "../../core/ids.ts"
import type { MergeSides } from "../../git/trees/merge-tree.ts"

export type Ends = {
  readonly base: Oid
  /** Of `head` and `onto`, as git finds them. */
  readonly mergeBases: readonly Oid[]
  readonly head: Oid
  readonly onto: Oid
  readonly ontoTree: Oid
}

/**
 * The target and the task have merged each other. A merge from one of their merge bases would take
 * what the task undid of the other for something that only the target has.
 */
export const isCrissCross = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length > 1 && base === mergeBases[0]

/** Then git, which finds the base of two commits itself, merges from the one that is wanted. */
export const isOfMergeBase = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length === 1 && base === mergeBases[0]

/** All of the work as one change. */
export function wholeSides(ends: Ends): MergeSides {
  const { base, head, onto, ontoTree } = ends
  if (isCrissCross(ends)) return { ours: onto, theirs: head }
  const ofTarget = isOfMergeBase(ends) ? { oursTip: onto } : {}
  return { base, oursTree: ontoTree, theirs: head, ...ofTarget }
}
