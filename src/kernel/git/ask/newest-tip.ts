/** Finds the newest state of a target that work may have taken in. */
import { branchRef, type Oid } from "../../../base/ids.ts"
import { isAncestor } from "./merge-base.ts"
import { upstreamOf } from "./remote.ts"
import { readCommit } from "./rev-parse.ts"

export type TargetOf = { readonly path: string; readonly target: string }

/** The target, or its upstream where that is ahead: agents take in either. */
export async function readNewestTip({ path, target }: TargetOf): Promise<Oid | undefined> {
  const [tip, upstream] = await Promise.all([
    readCommit(path, branchRef(target)),
    upstreamOf(path, target),
  ])
  const there = tip && upstream && (await readCommit(path, upstream))
  if (!there || there === tip) return tip
  return (await isAncestor(path, tip, there)) ? there : tip
}
