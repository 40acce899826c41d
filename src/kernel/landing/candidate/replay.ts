/**
 * Makes a candidate: the task's commits on top of the target, only in the object database.
 *
 *   git merge-tree --write-tree <target> <commit>       for each commit of the task, or once for all
 *   git hash-object -t commit -w --stdin-paths          writes those that still change something
 *
 * Nothing is checked out and no ref, index or file changes, so the cost does not grow with the
 * repository and there is nothing to undo. Authors, dates, messages and encodings are kept byte for
 * byte; signatures are not, because they would be false.
 */
import { assert } from "../../../base/assert.ts"
import type { Oid } from "../../../base/ids.ts"
import type { Links } from "../../git/ask/cat-file.ts"
import { type ListedCommit, listCommits } from "../../git/ask/rev-list.ts"
import { type CommitSettings, identLine } from "../../git/ask/settings.ts"
import { CommitWriter, formatCommit, parseCommit } from "../../git/change/commit-objects.ts"
import { isolateMerges, readAttributes } from "../../git/change/merge-isolation.ts"
import { type Merge, type MergeSides, mergeTree } from "../../git/change/merge-tree.ts"

export type Replay = Ends & {
  readonly settings: CommitSettings
  /** The time of the new commits. */
  readonly nowMs: number
  /** First line of a squashed commit. */
  readonly title: string
}

export type Replayed =
  | (Made & { readonly kind: "replayed"; readonly way: "replay" | "squash" })
  /** `drivers`: configured merge drivers that could resolve it. */
  | (Merge & { readonly kind: "conflict"; readonly drivers: readonly string[] })

/** `commits`: those of the candidate that the target lacks, oldest first. */
export type Made = { readonly candidate: Oid; readonly commits: readonly Links[] }

/** How three-way merges run: in isolation, or with the configured drivers. */
export type Merging = {
  readonly drivers: readonly string[]
  merge(sides: MergeSides): Promise<Merge>
}

type Work = { readonly request: Replay; readonly commits: readonly ListedCommit[] }

/**
 * Replays `base..head` onto `onto`, commit by commit, and if that conflicts, as one change.
 *
 * Drops commits whose change is there already, and keeps commits that were empty on purpose.
 * Squashes a history with merge commits. If both ways conflict, reports the conflict of the whole
 * change, because that one needs resolving.
 *
 * @param driven default: merges in isolation.
 */
export async function replay(repo: string, request: Replay, driven?: Merging): Promise<Replayed> {
  const listing = listWork(repo, request)
  if (driven) {
    await using writer = new CommitWriter(repo)
    return await replayBy({ request, commits: await listing }, driven, writer)
  }
  const { drivers } = request.settings
  const [commits, attributes] = await Promise.all([listing, readAttributes(repo, request.onto)])
  const work = { request, commits }
  await using isolation = await isolateMerges(repo, attributes, drivers)
  const merge = (sides: MergeSides) => mergeTree(repo, sides, isolation)
  return await replayBy(work, { drivers, merge }, isolation.commits)
}

function listWork(repo: string, { base, mergeBases, ahead, head }: Ends): Promise<ListedCommit[]> {
  return listCommits(repo, base, head, base === mergeBases[0] ? ahead : undefined)
}

async function replayBy(work: Work, merging: Merging, writer: CommitWriter): Promise<Replayed> {
  const isLinear = work.commits.every(({ parents }) => parents.length === 1)
  const trees = isLinear ? await pickAll(work, merging) : undefined
  if (!trees) return await squash(work, merging, writer)
  return { kind: "replayed", way: "replay", ...(await writeCommits(work, trees, writer)) }
}

/** @returns the tree after each commit; undefined if one of them conflicts. */
async function pickAll({ request, commits }: Work, { merge }: Merging): Promise<Oid[] | undefined> {
  const trees: Oid[] = []
  for (const { oid, parents } of commits) {
    const oursTree = trees.at(-1) ?? request.ontoTree
    const sides = { base: parents[0] ?? request.base, oursTree, theirs: oid }
    const isOfTarget = trees.length === 0 && sides.base === request.base && isOfMergeBase(request)
    const merged = await merge(isOfTarget ? { ...sides, oursTip: request.onto } : sides)
    if (merged.kind === "conflict") return undefined
    trees.push(merged.tree)
  }
  return trees
}

/** Writes commits with these trees in order, without those that no longer change anything. */
async function writeCommits(
  { request, commits }: Work,
  trees: readonly Oid[],
  writer: CommitWriter,
): Promise<Made> {
  const written: Links[] = []
  if (trees.at(-1) === request.ontoTree) return { candidate: request.onto, commits: written } // as a whole they change nothing
  const committer = identLine(request.settings.committer, request.nowMs)
  let tip = request.onto
  let before = request.ontoTree
  for (const [n, { raw, isEmpty }] of commits.entries()) {
    const tree = trees[n]
    assert(tree, "there is a tree for each commit")
    if (tree === before && !isEmpty) continue
    before = tree
    const commit = { ...parseCommit(raw), tree, parents: [tip], committer }
    tip = await writer.write(formatCommit(commit))
    written.push({ oid: tip, tree, parents: commit.parents })
  }
  return { candidate: tip, commits: written }
}

async function squash(
  { request, commits }: Work,
  { merge, drivers }: Merging,
  writer: CommitWriter,
): Promise<Replayed> {
  const { onto, ontoTree, title, nowMs, settings } = request
  const merged = await merge(wholeSides(request))
  if (merged.kind === "conflict") return { ...merged, drivers }
  const { tree } = merged
  const squashed = { kind: "replayed", way: "squash" } as const
  if (tree === ontoTree) return { ...squashed, candidate: onto, commits: [] }
  const committer = identLine(settings.committer, nowMs)
  const parsed = commits.map(({ oid, raw }) => ({ oid, ...parseCommit(raw) }))
  const author = parsed.at(-1)?.author ?? committer
  const message = squashedMessage(title, parsed) + creditAuthors(author, parsed)
  const raw = formatCommit({ tree, parents: [onto], author, committer, message })
  const candidate = await writer.write(raw)
  return { ...squashed, candidate, commits: [{ oid: candidate, tree, parents: [onto] }] }
}

type Original = { readonly oid: Oid; readonly message: string; readonly author: string }

/**
 * Names every original commit, so that what was squashed can be found again.
 *
 * @param title text.
 * @returns one char per raw byte.
 */
function squashedMessage(title: string, commits: readonly Original[]): string {
  const lines = commits.map(({ oid, message }) => `* ${oid.slice(0, 12)} ${message.split("\n")[0]}`)
  const why = "Squashed, because these commits do not apply one by one:"
  return `${Buffer.from(title).toString("latin1")}\n\n${why}\n\n${lines.join("\n")}\n`
}

const CO_AUTHOR = /^Co-authored-by:[ \t]*([^\r\n<>]+<[^\r\n<>]+>)[ \t\r]*$/gim
/** The last paragraph. */
const trailersOf = (message: string) =>
  message
    .trimEnd()
    .split(/\n[ \t]*\n/)
    .at(-1) ?? ""

/** Trailers for the authors other than `author`: those of the commits, and those that the commits name. */
function creditAuthors(author: string, commits: readonly Original[]): string {
  const nameOf = (ident: string) => ident.slice(0, ident.lastIndexOf(">") + 1)
  const names = commits.flatMap((one) => [
    nameOf(one.author),
    ...[...trailersOf(one.message).matchAll(CO_AUTHOR)].map(([, name = ""]) => name),
  ])
  const others = [...new Set(names)].filter((name) => name !== "" && name !== nameOf(author))
  return others.length === 0
    ? ""
    : `\n${others.map((name) => `Co-authored-by: ${name}\n`).join("")}`
}

type Ends = {
  readonly base: Oid
  /** The merge bases of `head` and `onto`, from git. */
  readonly mergeBases: readonly Oid[]
  /** The commits of `head` that `onto` lacks, from git. */
  readonly ahead: readonly Oid[]
  readonly head: Oid
  readonly onto: Oid
  readonly ontoTree: Oid
}

/**
 * Target and task have merged each other. A merge from one of their merge bases would restore
 * changes of the other side that the task reverted.
 */
const isCrissCross = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length > 1 && base === mergeBases[0]

/** Then git's own merge base is the right one. */
const isOfMergeBase = ({ base, mergeBases }: Ends): boolean =>
  mergeBases.length === 1 && base === mergeBases[0]

function wholeSides(ends: Ends): MergeSides {
  const { base, head, onto, ontoTree } = ends
  if (isCrissCross(ends)) return { ours: onto, theirs: head }
  const ofTarget = isOfMergeBase(ends) ? { oursTip: onto } : {}
  return { base, oursTree: ontoTree, theirs: head, ...ofTarget }
}
