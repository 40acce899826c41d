/** Keeps the commits of others in a worktree where a gate ran, without the gate's own. */
import type { Oid } from "../../../base/ids.ts"
import { listCommits } from "../../git/ask/rev-list.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import { formatCommit, parseCommit } from "../../git/change/commit-objects.ts"
import { isolateMerges, readAttributes } from "../../git/change/merge-isolation.ts"
import { mergeTree } from "../../git/change/merge-tree.ts"
import { listMadeSince } from "./gate-mark.ts"

export type GatedBranch = {
  readonly worktree: string
  readonly candidate: Oid
  /** The commit whose files were there. */
  readonly files: Oid
}

/**
 * The candidate, and on top of it what others have made since. Their commits may stand on the gate's,
 * or hold the target's files in place of the work's. Then their changes are replayed; if that
 * conflicts, the commits stay where they are.
 */
export async function withoutGate(from: GatedBranch, tip: Oid): Promise<Oid> {
  const { worktree, candidate, files } = from
  if (tip === candidate) return candidate
  const made = await listMadeSince(worktree, tip, candidate)
  const newest = made.findIndex(({ isOfGate }) => !isOfGate)
  const head = made[newest]?.oid
  if (!head) return candidate
  const below = made.slice(newest).find(({ isOfGate }) => isOfGate)?.oid
  if (below) {
    const onto = await withoutGate(from, below)
    return (await replayOn(worktree, { onto, below, files: below, head })) ?? head
  }
  if (files === candidate) return head
  return (await replayOn(worktree, { onto: candidate, below: candidate, files, head })) ?? head
}

type Range = {
  readonly onto: Oid
  readonly below: Oid
  /** Has the files to which the first commit after `below` made its change. */
  readonly files: Oid
  readonly head: Oid
}

/** @returns undefined if a commit conflicts, or is a merge. */
async function replayOn(
  worktree: string,
  { onto, below, files, head }: Range,
): Promise<Oid | undefined> {
  const { drivers } = await readCommitSettings(worktree)
  const commits = await listCommits(worktree, below, head)
  await using isolation = await isolateMerges(
    worktree,
    await readAttributes(worktree, onto),
    drivers,
  )
  let tip = onto
  for (const [n, { oid, parents, raw }] of commits.entries()) {
    const base = n === 0 ? files : parents[0]
    if (!base || parents.length > 1) return undefined
    const [oursTree] = (await readTrees(worktree, [tip])) as [Oid]
    const { kind, tree } = await mergeTree(worktree, { base, oursTree, theirs: oid }, isolation)
    if (kind === "conflict") return undefined
    tip = await isolation.commits.write(formatCommit({ ...parseCommit(raw), tree, parents: [tip] }))
  }
  return tip
}
