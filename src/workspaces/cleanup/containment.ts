/** Says how the targets have what commits bring; in doubt, that they do not. */
import type { Containment } from "../../core/cleanup.ts"
import type { Oid } from "../../core/ids.ts"
import { GitError } from "../../git/errors.ts"
import { hasEachChange } from "../../git/history/cherry.ts"
import { isAncestor, readMergeBase } from "../../git/history/merge-base.ts"
import { readTrees } from "../../git/repository/rev-parse.ts"
import { readSettings } from "../../git/repository/settings.ts"
import { isolateMerges } from "../../git/trees/merge-isolation.ts"
import { mergeTree } from "../../git/trees/merge-tree.ts"

/** From the most certain on. */
const ORDER: readonly Containment[] = ["ancestor", "patches", "squash", "none"]

/** Of all the commits, the least certain. @param targets commits; one of them is enough. */
export async function readContainment(
  repo: string,
  commits: readonly Oid[],
  targets: readonly Oid[],
): Promise<Containment> {
  let least = 0
  for (const commit of commits) {
    const each: number[] = []
    for (const target of targets) each.push(ORDER.indexOf(await ofOne(repo, commit, target)))
    least = Math.max(least, Math.min(ORDER.length - 1, ...each))
  }
  return ORDER[least] ?? "none"
}

async function ofOne(repo: string, commit: Oid, target: Oid): Promise<Containment> {
  if (await isAncestor(repo, commit, target)) return "ancestor"
  if ((await readMergeBase(repo, commit, target)) === undefined) return "none"
  if (await hasEachChange(repo, target, commit)) return "patches"
  return (await bringsNothing(repo, commit, target)) ? "squash" : "none"
}

/** Whether merging the commit would leave the target's tree as it is. */
async function bringsNothing(repo: string, commit: Oid, target: Oid): Promise<boolean> {
  const { drivers } = await readSettings(repo)
  await using isolation = await isolateMerges(repo, target, drivers)
  try {
    const merged = await mergeTree(repo, { ours: target, theirs: commit }, isolation)
    const [tree] = await readTrees(repo, [target])
    return merged.kind === "clean" && merged.tree === tree
  } catch (error) {
    if (error instanceof GitError) return false // a history that this git cannot merge
    throw error
  }
}
