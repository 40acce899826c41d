/**
 * Makes a candidate: the task's commits on top of the target, in the object database alone.
 *
 * Nothing is checked out and no ref, index or file changes, so the cost does not grow with the
 * repository and there is nothing to undo. Authors, dates, messages and encodings are kept byte for
 * byte; signatures are not, because they would be false.
 */
import { assert } from "../core/assert.ts"
import type { Oid } from "../core/ids.ts"
import { formatCommit, parseCommit } from "../git/commit-object.ts"
import { commitOid, writeCommits } from "../git/commit-writer.ts"
import { listChanges } from "../git/diff-tree.ts"
import { writeCommitObject } from "../git/hash-object.ts"
import { listTouched } from "../git/log-touched.ts"
import type { MergeConflict } from "../git/merge-conflict.ts"
import { mergeEach } from "../git/merge-each.ts"
import { isolateMerges, type MergeIsolation } from "../git/merge-isolation.ts"
import { mergeTree } from "../git/merge-tree.ts"
import { type ListedCommit, listCommits } from "../git/rev-list.ts"
import { squashedMessage } from "./squashed-message.ts"

export type Replay = {
  readonly base: Oid
  /** Of `head` and `onto`, as git finds it. */
  readonly mergeBase: Oid | undefined
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
    const work = { plan, commits }
    const trees = (await mergeAll(repo, work, isolation)) ?? (await pickAll(repo, work, isolation))
    const candidate = trees && (await chain(repo, work, trees))
    if (candidate) return { kind: "replayed", candidate }
  }
  return await squash(repo, { plan, commits }, isolation)
}

type Work = { readonly plan: Replay; readonly commits: readonly ListedCommit[] }

/**
 * The everyday case, in one process: each commit's tree is the target with everything up to that
 * commit merged in, which is what picking one after another comes to where the sides are apart.
 *
 * @returns undefined when they are not, or git would merge from another base than ours.
 */
async function mergeAll(
  repo: string,
  { plan, commits }: Work,
  isolation: MergeIsolation,
): Promise<readonly Oid[] | undefined> {
  if (plan.base !== plan.mergeBase || !(await areApart(repo, { plan, commits }))) return undefined
  const theirs = commits.map(({ oid }) => oid)
  return await mergeEach(plan.onto, theirs, isolation)
}

/**
 * Whether the two sides touch different files, each commit of ours looked at: where they meet, a
 * change may be there already, or be taken back on purpose, and only picking tells.
 */
async function areApart(repo: string, { plan, commits }: Work): Promise<boolean> {
  const [theirs, ours] = await Promise.all([
    listChanges(repo, plan.base, plan.onto),
    listTouched(repo, { from: plan.base, to: commits.at(-1)?.oid ?? plan.base }),
  ])
  return !theirs.some(({ path }) => ours.has(path))
}

/** Commits of these trees, one on the other: without those that change nothing any more. */
async function chain(repo: string, { plan, commits }: Work, trees: readonly Oid[]): Promise<Oid> {
  const raws: string[] = []
  let tip = plan.onto
  let tree = plan.ontoTree
  for (const [n, { raw, isEmpty }] of commits.entries()) {
    const next = trees[n]
    assert(next, "there is a tree for each commit")
    if (next === tree && !isEmpty) continue
    tree = next
    const commit = { ...parseCommit(raw), tree, parents: [tip], committer: plan.committer }
    const formatted = formatCommit(commit)
    raws.push(formatted)
    tip = commitOid(formatted, plan.onto)
  }
  await writeCommits(repo, raws)
  return tip
}

/** @returns undefined when a pick conflicts. */
async function pickAll(
  repo: string,
  { plan, commits }: Work,
  isolation: MergeIsolation,
): Promise<readonly Oid[] | undefined> {
  const trees: Oid[] = []
  for (const { oid, parents } of commits) {
    const oursTree = trees.at(-1) ?? plan.ontoTree
    const sides = { base: parents[0] ?? plan.base, oursTree, theirs: oid }
    const picked = await mergeTree(repo, sides, isolation)
    if (picked.kind === "conflict") return undefined
    trees.push(picked.tree)
  }
  return trees
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
  const candidate = await writeCommitObject(repo, formatCommit(commit))
  return { kind: "replayed", candidate }
}
