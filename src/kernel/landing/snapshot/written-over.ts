/**
 * Puts work on top of the target's commit that it was written over.
 *
 * An agent that amends the last commit of the target, or resets softly over it, has the target's
 * change in its own commit, and perhaps under the name of its author. It would land as that person's,
 * conflict with itself, or share no history. The change against the target's commit is the agent's,
 * so that becomes its commit. Files and index stay; the old commits are rescued.
 */
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { isAncestor, readMergeBase } from "../../git/ask/merge-base.ts"
import { readReflog } from "../../git/ask/reflog.ts"
import { type ListedCommit, listCommits } from "../../git/ask/rev-list.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import { CommitWriter, formatCommit, parseCommit } from "../../git/change/commit-objects.ts"
import { isolateMerges, readAttributes } from "../../git/change/merge-isolation.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { ownerOf, type Refs, type Rows, type Step } from "../action.ts"
import { lackedOf } from "./stale-files.ts"

type Work = {
  /** The worktree, or the repository if there is none. */
  readonly cwd: string
  readonly ref: RefName
  readonly head: Oid
  /** For a commit whose message is the target's. */
  readonly message: string
}

/** @returns the head on top of the target's commit; undefined while another process holds the ref. */
export async function putOnTarget(
  step: Step<Rows & Refs>,
  repo: TaskRepo,
  work: Work,
): Promise<Oid | undefined> {
  const { cwd, ref, head } = work
  for (const below of await listLeft(repo, work)) {
    const [theirs, ours] = await Promise.all([
      listCommits(cwd, head, below),
      listCommits(cwd, below, head),
    ])
    const count = await countOver(cwd, below, theirs, ours)
    if (count === undefined) continue
    const to = await rewrite(work, { below, theirs, ours, count })
    const reason = "its commits on top of the target's took their place"
    const rescued = await rescueCommit(cwd, head, {
      owner: ownerOf(step),
      safeCommits: [to],
      reason,
    })
    recordRescued(step.context, step.task.id, [rescued])
    const move = { ref, from: head, to, reason: "coppice: on top of the target's commit" }
    return (await updateRef(cwd, move)).kind === "moved" ? to : undefined
  }
  return head
}

/** Entries of the log that are read. */
const LOG_MAX = 50

/** Commits of the target that the work has left: by the log of HEAD, newest first, and its base. */
async function listLeft({ path, target, base }: TaskRepo, { cwd, head }: Work): Promise<Oid[]> {
  const tip = await readCommit(path, branchRef(target))
  if (!tip) return []
  const logged = cwd === path ? [] : await listLogged(cwd)
  const found: Oid[] = []
  for (const commit of new Set([...logged, ...(base === null ? [] : [base])]))
    if (!(await isAncestor(cwd, commit, head)) && (await isAncestor(cwd, commit, tip)))
      found.push(commit)
  return found
}

/** The commits that were amended, and those that a reset went back from. */
async function listLogged(cwd: string): Promise<Oid[]> {
  const log = (await readReflog(cwd, "HEAD")).slice(0, LOG_MAX)
  const left: Oid[] = []
  for (const [n, { oid, reason }] of log.entries()) {
    const before = log[n + 1]?.oid
    if (!before) continue
    const isBack = reason.startsWith("reset: ") && (await isAncestor(cwd, oid, before))
    if (isBack || reason.startsWith("commit (amend)")) left.push(before)
  }
  return left
}

/** How many commits of the work, from the first, were written over `below`; undefined: none. */
async function countOver(
  cwd: string,
  below: Oid,
  theirs: readonly ListedCommit[],
  ours: readonly ListedCommit[],
): Promise<number | undefined> {
  const names = theirs.map(authorOf)
  const last = ours.findLastIndex((commit) => names.includes(authorOf(commit)))
  const own = ours.map(authorOf)
  const isAmended = names.every((name) => own.includes(name))
  const isLinear = ours.every(({ parents }) => parents.length < 2)
  if (isAmended) return isLinear ? last + 1 : ours.length
  if (isLinear)
    for (const [n, { oid }] of ours.slice(0, TRIED_MAX).entries())
      if (await holdsAll(cwd, below, oid)) return n + 1
  const head = ours.at(-1)
  return head && (await holdsAll(cwd, below, head.oid)) ? ours.length : undefined
}

/** Commits of the work that we compare one by one. */
const TRIED_MAX = 10

/** With its time. An amended commit keeps it. */
const authorOf = ({ raw }: ListedCommit): string => parseCommit(raw).author

/** Whether a commit has the changes of another one that it does not descend from. */
async function holdsAll(cwd: string, below: Oid, commit: Oid): Promise<boolean> {
  const from = await readMergeBase(cwd, commit, below)
  if (!from) return (await listChanges(cwd, below, commit)).every(({ status }) => status !== "D")
  const { drivers } = await readCommitSettings(cwd)
  await using isolation = await isolateMerges(cwd, await readAttributes(cwd, commit), drivers)
  const lacked = await lackedOf(cwd, { from, to: below, merge: null }, commit, isolation)
  if (!lacked) return true
  // Where each file of that commit is in conflict, nothing shows that the work holds any of it.
  const theirs = await listChanges(cwd, from, below)
  return lacked.all.length === 0 && theirs.some(({ path }) => !lacked.changed.includes(path))
}

type Over = {
  readonly below: Oid
  /** The commits of each side that the other one lacks, oldest first. */
  readonly theirs: readonly ListedCommit[]
  readonly ours: readonly ListedCommit[]
  /** Of ours, from the first: written over theirs. */
  readonly count: number
}

/** The first `count` commits become one on top of `below`, and the others follow it. */
async function rewrite({ cwd, message }: Work, { below, theirs, ours, count }: Over): Promise<Oid> {
  const [tree] = await readTrees(cwd, [below])
  const over = ours[count - 1]
  assert(over, "work that was written over a commit has commits")
  const last = parseCommit(over.raw)
  const author = theirs.map(authorOf).includes(last.author) ? last.committer : last.author
  const isTheirs = theirs.some(({ raw }) => parseCommit(raw).message === last.message)
  const words = isTheirs ? `${Buffer.from(message).toString("latin1")}\n` : last.message
  await using writer = new CommitWriter(cwd)
  let tip = below
  if (last.tree !== tree)
    tip = await writer.write(formatCommit({ ...last, parents: [below], author, message: words }))
  for (const { raw } of ours.slice(count))
    tip = await writer.write(formatCommit({ ...parseCommit(raw), parents: [tip] }))
  return tip
}
