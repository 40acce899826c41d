/**
 * Makes a candidate: the task's commits on top of the target, in the object database alone.
 *
 * Nothing is checked out and no ref, index or file changes, so the cost does not grow with the
 * repository and there is nothing to undo. Authors, dates, messages and encodings are kept byte for
 * byte; signatures are not, because they would be false.
 */
import { setImmediate } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { assert } from "../../core/assert.ts"
import { early } from "../../core/early.ts"
import type { Oid } from "../../core/ids.ts"
import { type ListedCommit, listCommits } from "../../git/history/rev-list.ts"
import { formatCommit, parseCommit } from "../../git/objects/commit-object.ts"
import { findCommits, rememberCommit } from "../../git/objects/commits.ts"
import { objectOid, writeObjects } from "../../git/objects/object-writer.ts"
import { oidOf } from "../../git/objects/raw-id.ts"
import { identLine } from "../../git/repository/identity.ts"
import type { Settings } from "../../git/repository/settings.ts"
import { areShort } from "../../git/trees/marked-text.ts"
import { isolateMerges, type MergeIsolation } from "../../git/trees/merge-isolation.ts"
import { type Merge, type MergeSides, mergeTree, pickTree } from "../../git/trees/merge-tree.ts"
import { type Composed, composeTrees, type Meeting } from "./compose.ts"
import { type Ends, isCrissCross, isOfMergeBase, wholeSides } from "./ends.ts"
import { narrow, widen } from "./narrow.ts"
import { squashedMessage } from "./squashed-message.ts"
import { type BothTouches, readTouches } from "./touches.ts"

export type Replay = Ends & {
  /** Asked for early, since nobody waits for them until there is something to write. */
  readonly settings: Promise<Settings>
  /** The time of the new commits. */
  readonly nowMs: number
  /** First line of a squashed commit. */
  readonly title: string
  /** Called once nothing conflicts, as far as is known: what comes next can be made ready beside the rest. */
  readonly onClean?: () => void
}

export type Replayed =
  | { readonly kind: "replayed"; readonly way: "replay" | "squash"; readonly candidate: Oid }
  | (Merge & { readonly kind: "conflict" } & {
      /** Merge drivers that are configured, and failed. */
      readonly drivers: readonly string[]
      readonly touches?: Touching | undefined
    })

/** Asked for beside the merge: whoever is handed a conflict wants to know. */
type Touching = Promise<BothTouches | undefined>

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
  const composed = isLinear(work) ? await composeAll(repo, work) : undefined
  if (composed?.kind === "apart") {
    plan.onClean?.()
    return { ...REPLAYED, candidate: await chain(repo, work, composed) }
  }

  const whole = { ...work, widen: async (trees: readonly Oid[]) => ({ trees }) }
  if (driven) return await replayed(replayBy(repo, work, { ...whole, ...driven }))
  // What merges need is made ready beside what they merge.
  const isolating = isolateMerges(repo, plan.onto, plan.settings)
  const narrowing = composed && narrowed(repo, work, composed, isolating)
  await Promise.allSettled([isolating, narrowing]) // else the folder stays where one of them fails
  using isolation = await isolating
  const few = await narrowing
  const byFew = few && (await replayAlone(repo, work, { ...few, isolation }))
  return byFew ?? (await replayed(replayAlone(repo, work, { ...whole, isolation })))
}

async function replayed(whole: Promise<Replayed | undefined>): Promise<Replayed> {
  const found = await whole
  assert(found, "the whole trees are merged as they are")
  return found
}

/** The work as it is merged: all of it, or what matters of it. */
type Ground = {
  readonly plan: Ends
  readonly commits: readonly Pick<ListedCommit, "oid" | "parents">[]
  readonly touches?: Touching | undefined
  readonly isShort?: Promise<boolean>
  /** @returns trees for the work's commits, or for all of it as one; undefined where git has to tell. */
  widen(trees: readonly Oid[]): Promise<Made | undefined>
}

/** Only the files that both sides have changed. */
async function narrowed(
  repo: string,
  { plan, commits: all }: Work,
  meeting: Meeting,
  isolating: Promise<unknown>,
): Promise<Ground | undefined> {
  await Promise.race([isolating, setImmediate()]) // the git that merges takes longest: it is started first
  const { base, onto, commits, objects, counts } = narrow(meeting, plan.base)
  const head = commits.at(-1)
  if (!head || isCrissCross(plan)) return undefined
  const touches = early(readTouches(repo, { ...plan, commits: all }, meeting.files))
  await writeObjects(repo, objects, await plan.settings)
  const sides = { base: base.oid, mergeBases: [base.oid], head: head.oid }
  return {
    plan: { ...sides, onto: onto.oid, ontoTree: onto.tree },
    commits,
    touches,
    isShort: early(areShort(repo, listTexts(meeting))),
    widen: (trees) => widen(repo, { meeting, onto, counts }, trees),
  }
}

/** What is merged of all the work as one change. */
const listTexts = ({ files }: Meeting): Oid[] =>
  [...files.values()].flatMap(({ base, onto, theirs }) =>
    [base, onto, ...theirs.slice(-1)].map(({ id }) => oidOf(id)),
  )

/** By gits that know nothing but commits. */
async function replayAlone(
  repo: string,
  work: Work,
  { isolation, ...ground }: Ground & { readonly isolation: MergeIsolation },
): Promise<Replayed | undefined> {
  // Where a commit conflicts, so does most often the whole: it is merged beside the first pick.
  const all = wholeSides(ground.plan)
  const { length } = ground.commits
  isolation.gits.expect(isLinear(work) && length > 1 ? 1 + length : 1)
  const whole = mergeTree(repo, all, isolation, ground.isShort).then((merged) => {
    if (merged.kind === "clean") work.plan.onClean?.()
    return merged
  })
  const settled = Promise.allSettled([whole]) // how it ended is told to whoever needs it
  try {
    return await replayBy(repo, work, {
      ...ground,
      drivers: isolation.drivers,
      merge: () => whole,
      pick: async (sides) => {
        if (isDeepStrictEqual(sides, all)) return cleanTree(await whole)
        return await pickTree(repo, sides, isolation)
      },
    })
  } finally {
    await settled // it stands in a folder that goes soon
  }
}

const cleanTree = (merge: Merge): Oid | undefined =>
  merge.kind === "clean" ? merge.tree : undefined

const isLinear = ({ commits }: Pick<Work, "commits">): boolean =>
  commits.every((commit) => commit.parents.length === 1)

/** Commit by commit, else as one. @returns undefined where it has to be tried with the whole trees. */
async function replayBy(
  repo: string,
  work: Work,
  merging: Ground & Merging,
): Promise<Replayed | undefined> {
  const picked = isLinear(work) ? await pickAll(merging) : undefined
  if (!picked) return await squash(repo, work, merging)
  const made = await merging.widen(picked)
  return made && { ...REPLAYED, candidate: await chain(repo, work, made) }
}

/** Three-way merges, in isolation or with the drivers that are configured. */
export type Merging = {
  readonly drivers: readonly string[]
  /** Of all the work as one change. */
  merge(sides: MergeSides): Promise<Merge>
  /** @returns the tree; undefined where it conflicts: of a pick nobody asks how. */
  pick(sides: MergeSides): Promise<Oid | undefined>
}

type Work = { readonly plan: Replay; readonly commits: readonly ListedCommit[] }
/** A tree for each commit, and those that are yet to be written. */
type Made = Pick<Composed, "trees"> & Partial<Composed>

/** The everyday case: each commit's tree is the target's with all that the task has changed by then. */
async function composeAll(
  repo: string,
  { plan, commits }: Work,
): Promise<Composed | Meeting | undefined> {
  const [first] = commits
  if (first && first.parents[0] !== plan.base) return undefined // its base is another
  const [base] = (await findCommits(repo, [plan.base])) ?? []
  const theirs = commits.map(({ tree }) => tree)
  return base && (await composeTrees(repo, { base: base.tree, onto: plan.ontoTree, theirs }))
}

/** Commits of these trees, one on the other: without those that change nothing any more. */
async function chain(repo: string, { plan, commits }: Work, made: Made): Promise<Oid> {
  const { trees } = made
  if (trees.at(-1) === plan.ontoTree) return plan.onto // as a whole they change nothing
  const settings = await plan.settings
  const committer = identLine(settings.committer, plan.nowMs)
  const objects = new Map(made.objects)
  let tip = plan.onto
  let tree = plan.ontoTree
  for (const [n, { raw, isEmpty }] of commits.entries()) {
    const next = trees[n]
    assert(next, "there is a tree for each commit")
    if (next === tree && !isEmpty) continue
    tree = next
    const commit = { ...parseCommit(raw), tree, parents: [tip], committer }
    const object = { type: "commit", raw: formatCommit(commit) } as const
    tip = objectOid(object, plan.onto)
    objects.set(tip, object)
  }
  await writeObjects(repo, objects, settings)
  for (const [oid, { type, raw }] of objects) if (type === "commit") rememberCommit(oid, raw)
  return tip
}

/** @returns undefined when a pick conflicts. */
async function pickAll({
  plan,
  commits,
  pick,
}: Ground & Merging): Promise<readonly Oid[] | undefined> {
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
  { plan: ground, merge, drivers, widen, touches }: Ground & Merging,
): Promise<Replayed | undefined> {
  const { onto, ontoTree, title } = plan
  const merged = await merge(wholeSides(ground))
  if (merged.kind === "conflict") return { ...merged, drivers, touches }
  const made = await widen([merged.tree])
  const tree = made?.trees.at(-1)
  if (!made || !tree) return undefined
  if (tree === ontoTree) return { ...SQUASHED, candidate: onto }
  const settings = await plan.settings
  const committer = identLine(settings.committer, plan.nowMs)
  const parsed = commits.map(({ oid, raw }) => ({ oid, ...parseCommit(raw) }))
  const author = parsed.at(-1)?.author ?? committer
  const message = squashedMessage(title, parsed)
  const raw = formatCommit({ tree, parents: [onto], author, committer, message })
  const commit = { type: "commit", raw } as const
  const candidate = objectOid(commit, onto)
  await writeObjects(repo, new Map([...(made.objects ?? []), [candidate, commit]]), settings)
  return { ...SQUASHED, candidate }
}
