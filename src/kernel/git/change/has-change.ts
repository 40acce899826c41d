/** Checks whether a target has the change of a commit, perhaps under other ids or squashed. */

import { readTrees } from "../ask/rev-parse.ts"
import { type Compared, hasEachChange } from "../ask/same-changes.ts"
import { readCommitSettings } from "../ask/settings.ts"
import { isolateMerges, readAttributes } from "./merge-isolation.ts"
import { mergeTree } from "./merge-tree.ts"

/**
 * One of: the target has each change under other ids; or merging the commit into it changes nothing.
 * False in doubt, as where the target changed the same lines since.
 */
export async function hasChangeOf(repo: string, compared: Compared): Promise<boolean> {
  return (await hasEachChange(repo, compared)) || (await changesNothing(repo, compared))
}

async function changesNothing(repo: string, { target, commit }: Compared): Promise<boolean> {
  const { drivers } = await readCommitSettings(repo)
  await using isolation = await isolateMerges(repo, await readAttributes(repo, target), drivers)
  const merged = await mergeTree(repo, { ours: target, theirs: commit }, isolation)
  const [tree] = await readTrees(repo, [target])
  return merged.kind === "clean" && merged.tree === tree
}
