/**
 * Finds commits of the target's upstream in work, where a replay would give them other ids.
 *
 * An agent took them in, and the target has moved on without them. Copies would be in its history a second time after the
 * next pull. How the two come together is a person's choice.
 */
import { branchOf, type Oid } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { isAncestor, readMergeBase } from "../../git/ask/merge-base.ts"
import { upstreamOf } from "../../git/ask/remote.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { LandingRepo } from "../rows/row.ts"

/** @returns a reason to wait, for a person; undefined if the work has no such commits after `base`. */
export async function describeUpstreamPart(
  { path, target: ref, head }: Pick<LandingRepo, "path" | "target"> & { readonly head: Oid },
  { target, base }: { readonly target: Oid; readonly base: Oid },
): Promise<string | undefined> {
  const upstream = await upstreamOf(path, branchOf(ref))
  const tip = upstream && (await readCommit(path, upstream))
  const shared = tip && (await readMergeBase(path, head, tip))
  if (!upstream || !shared) return undefined
  if (await isAncestor(path, shared, base)) return undefined
  if (await isAncestor(path, shared, target)) return undefined
  const [theirs, ours] = [upstream.replace(/^refs\/(remotes|heads)\//, ""), branchOf(ref)]
  const pull = `git -C ${shellWord(path)} pull`
  return `the work contains commits of ${theirs} that ${ours} lacks, and ${ours} has commits of its own: bring ${theirs} into ${ours}, on ${ours} with \`${pull} --rebase\` or \`${pull} --no-rebase\``
}
