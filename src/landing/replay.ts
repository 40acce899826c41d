/**
 * Makes a candidate: the task's commits on top of the target, in the object database alone.
 *
 * Nothing is checked out and no ref, index or file changes, so the cost does not grow with the
 * repository and there is nothing to undo. Authors, dates, messages and encodings are kept byte for
 * byte; signatures are not, because they would be false.
 */
import type { Oid } from "../core/ids.ts"
import { formatCommit, parseCommit } from "../git/commit-object.ts"
import type { MergeConflict } from "../git/merge-conflict.ts"
import { isolateMerges, type MergeIsolation } from "../git/merge-isolation.ts"
import { mergeTree } from "../git/merge-tree.ts"
import { type ListedCommit, listCommits } from "../git/rev-list.ts"
import { squashedMessage } from "./squashed-message.ts"

export type Replay = {
  readonly base: Oid
  readonly head: Oid
  readonly onto: Oid
  readonly ontoTree: Oid
  /** Of the new commits: `Name <email> seconds zone`. */
  readonly committer: string
  /** First line of a squashed commit. */
  readonly title: string
}

export type Replayed =
  | { readonly kind: "replayed"; readonly candidate: Oid }
  | { readonly kind: "conflict"; readonly conflicts: readonly MergeConflict[] }

/**
 * Replays `base..head` onto `onto`: commit by commit, and where that conflicts as one whole change.
 *
 * Commits whose change is there already are dropped; commits that were empty on purpose are kept.
 * A history with merge commits is squashed. When both ways conflict the whole change's conflict is
 * the one reported, since it is what a person or an agent has to resolve.
 */
export async function replay(repo: string, plan: Replay): Promise<Replayed> {
  const listing = listCommits(repo, plan.base, plan.head)
  listing.catch(() => {}) // awaited below; what is thrown before then is told first
  await using isolation = await isolateMerges(repo, plan.onto)
  const commits = await listing
  if (commits.every((commit) => commit.parents.length === 1)) {
    const candidate = await pickAll(repo, { plan, commits }, isolation)
    if (candidate) return { kind: "replayed", candidate }
  }
  return await squash(repo, { plan, commits }, isolation)
}

type Work = { readonly plan: Replay; readonly commits: readonly ListedCommit[] }

/** @returns undefined when a pick conflicts. */
async function pickAll(
  repo: string,
  { plan, commits }: Work,
  isolation: MergeIsolation,
): Promise<Oid | undefined> {
  let tip = plan.onto
  let tree = plan.ontoTree
  for (const { oid, parents, raw, isEmpty } of commits) {
    const sides = { base: parents[0] ?? plan.base, oursTree: tree, theirs: oid }
    const picked = await mergeTree(repo, sides, isolation)
    if (picked.kind === "conflict") return undefined
    if (picked.tree === tree && !isEmpty) continue
    tree = picked.tree
    const commit = { ...parseCommit(raw), tree, parents: [tip], committer: plan.committer }
    tip = await isolation.writeCommit(formatCommit(commit))
  }
  return tip
}

async function squash(
  repo: string,
  { plan, commits }: Work,
  isolation: MergeIsolation,
): Promise<Replayed> {
  const { base, head, onto, ontoTree, committer, title } = plan
  const merged = await mergeTree(repo, { base, oursTree: ontoTree, theirs: head }, isolation)
  if (merged.kind === "conflict") return merged
  if (merged.tree === ontoTree) return { kind: "replayed", candidate: onto }
  const parsed = commits.map(({ oid, raw }) => ({ oid, ...parseCommit(raw) }))
  const author = parsed.at(-1)?.author ?? committer
  const message = squashedMessage(title, parsed)
  const commit = { tree: merged.tree, parents: [onto], author, committer, message }
  const candidate = await isolation.writeCommit(formatCommit(commit))
  return { kind: "replayed", candidate }
}
