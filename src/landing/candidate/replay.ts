/**
 * Makes a candidate: the task's commits on top of the target, in the object database alone.
 *
 * Nothing is checked out and no ref, index or file changes, so the cost does not grow with the
 * repository and there is nothing to undo. Authors, dates, messages and encodings are kept byte for
 * byte; signatures are not, because they would be false.
 */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import { formatCommit, parseCommit } from "../../git/commit-object.ts"
import { commitOid, writeCommits } from "../../git/commit-writer.ts"
import { listTouched } from "../../git/diff-tree-each.ts"
import { writeCommitObject } from "../../git/hash-object.ts"
import type { MergeConflict } from "../../git/merge-conflict.ts"
import { mergeEach } from "../../git/merge-each.ts"
import { isolateMerges } from "../../git/merge-isolation.ts"
import { type Merge, type MergeSides, mergeTree, pickTree } from "../../git/merge-tree.ts"
import { type ListedCommit, listCommits } from "../../git/rev-list.ts"
import { readTrees } from "../../git/rev-parse.ts"
import { squashedMessage } from "./squashed-message.ts"

export type Replay = {
  readonly base: Oid
  /** Of `head` and `onto`, as git finds them. */
  readonly mergeBases: readonly Oid[]
  readonly head: Oid
  readonly onto: Oid
  readonly ontoTree: Oid
  /** Of the new commits: `Name <email> seconds zone`. */
  readonly committer: string
  /** First line of a squashed commit. */
  readonly title: string
}

export type Replayed =
  | { readonly kind: "replayed"; readonly way: "replay" | "squash"; readonly candidate: Oid }
  | {
      readonly kind: "conflict"
      readonly conflicts: readonly MergeConflict[]
      /** Merge drivers that are configured, and failed. */
      readonly drivers: readonly string[]
    }

const REPLAYED = { kind: "replayed", way: "replay" } as const
const SQUASHED = { kind: "replayed", way: "squash" } as const

/**
 * Replays `base..head` onto `onto`: commit by commit, and where that conflicts as one whole change.
 *
 * Commits whose change is there already are dropped; commits that were empty on purpose are kept.
 * A history with merge commits is squashed. When both ways conflict the whole change's conflict is
 * the one reported, since it is what a person or an agent has to resolve.
 */
export async function replay(repo: string, plan: Replay, driven?: Merging): Promise<Replayed> {
  const from = isCrissCross(plan) ? plan.onto : plan.base
  const work = { plan, commits: await listCommits(repo, from, plan.head) }
  const isLinear = work.commits.every((commit) => commit.parents.length === 1)
  const merged = isLinear ? await mergeApart(repo, work) : undefined
  if (merged) return { ...REPLAYED, candidate: await chain(repo, work, merged) }

  if (driven) return await replayBy(repo, work, driven)
  await using isolation = await isolateMerges(repo, plan.onto)
  return await replayBy(repo, work, {
    drivers: isolation.drivers,
    merge: (sides) => mergeTree(repo, sides, isolation),
    pick: (sides) => pickTree(repo, sides, isolation),
  })
}

/** Commit by commit, else as one. */
async function replayBy(repo: string, work: Work, merging: Merging): Promise<Replayed> {
  const isLinear = work.commits.every((commit) => commit.parents.length === 1)
  const picked = isLinear ? await pickAll(work, merging) : undefined
  if (picked) return { ...REPLAYED, candidate: await chain(repo, work, picked) }
  return await squash(repo, work, merging)
}

/** Three-way merges, in isolation or with the drivers that are configured. */
export type Merging = {
  readonly drivers: readonly string[]
  merge(sides: MergeSides): Promise<Merge>
  /** @returns the tree; undefined where it conflicts: of a pick nobody asks how. */
  pick(sides: MergeSides): Promise<Oid | undefined>
}

/**
 * The target and the task have merged each other. A merge from one of their merge bases would take
 * what the task undid of the other for something that only the target has.
 */
const isCrissCross = ({ base, mergeBases }: Replay): boolean =>
  mergeBases.length > 1 && base === mergeBases[0]

/** Then git, which finds the base of two commits itself, merges from the one that is wanted. */
const isOfMergeBase = ({ base, mergeBases }: Replay): boolean =>
  mergeBases.length === 1 && base === mergeBases[0]

type Work = { readonly plan: Replay; readonly commits: readonly ListedCommit[] }

/**
 * Whether the two sides touch different files, each commit of ours looked at: where they meet, a
 * change may be there already, or be taken back on purpose, and only picking tells.
 */
async function areApart(repo: string, { plan, commits }: Work): Promise<boolean> {
  const [baseTree] = await readTrees(repo, [plan.base])
  assert(baseTree, "a base has a tree")
  const ours = commits.map(({ oid }) => oid)
  const touched = await listTouched(repo, [baseTree, plan.ontoTree], ours)
  return [...touched.between].every((path) => !touched.byCommits.has(path))
}

/**
 * The everyday case, in one process: each commit's tree is the target with everything up to that
 * commit merged in, which is what picking one after another comes to where the sides are apart. No
 * file's content is merged, so neither attributes nor drivers have a say.
 *
 * @returns undefined when they are not apart, or one conflicts all the same, e.g. a file and a
 *   folder of one name.
 */
async function mergeApart(repo: string, work: Work): Promise<readonly Oid[] | undefined> {
  const { plan, commits } = work
  if (!isOfMergeBase(plan)) return undefined // git would merge from another base
  // One after the other: contents must not be merged here, not even in vain.
  if (!(await areApart(repo, work))) return undefined
  const theirs = commits.map(({ oid }) => oid)
  return await mergeEach(repo, plan.onto, theirs)
}

/** Commits of these trees, one on the other: without those that change nothing any more. */
async function chain(repo: string, { plan, commits }: Work, trees: readonly Oid[]): Promise<Oid> {
  if (trees.at(-1) === plan.ontoTree) return plan.onto // as a whole they change nothing
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
  { plan, commits }: Work,
  { pick }: Merging,
): Promise<readonly Oid[] | undefined> {
  const trees: Oid[] = []
  for (const { oid, parents } of commits) {
    const oursTree = trees.at(-1) ?? plan.ontoTree
    const sides = { base: parents[0] ?? plan.base, oursTree, theirs: oid }
    const isOfTarget = trees.length === 0 && sides.base === plan.base && isOfMergeBase(plan)
    const picked = await pick(isOfTarget ? { ...sides, oursTip: plan.onto } : sides)
    if (!picked) return undefined
    trees.push(picked)
  }
  return trees
}

async function squash(
  repo: string,
  { plan, commits }: Work,
  { merge, drivers }: Merging,
): Promise<Replayed> {
  const { base, head, onto, ontoTree, committer, title } = plan
  const ofTarget = isOfMergeBase(plan) ? { oursTip: onto } : {}
  const sides = isCrissCross(plan)
    ? { ours: onto, theirs: head }
    : { base, oursTree: ontoTree, theirs: head, ...ofTarget }
  const merged = await merge(sides)
  if (merged.kind === "conflict") return { ...merged, drivers }
  if (merged.tree === ontoTree) return { ...SQUASHED, candidate: onto }
  const parsed = commits.map(({ oid, raw }) => ({ oid, ...parseCommit(raw) }))
  const author = parsed.at(-1)?.author ?? committer
  const message = squashedMessage(title, parsed)
  const commit = { tree: merged.tree, parents: [onto], author, committer, message }
  const candidate = await writeCommitObject(repo, formatCommit(commit))
  return { ...SQUASHED, candidate }
}
